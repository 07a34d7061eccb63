"""Inputs of the inferences that are compared: given, read from data, or random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.analysis.engines.sides import Side, inputs_for, random_runs
from arenite.analysis.evaluation.data import Reading, data_of
from arenite.errors import CompareError
from arenite.model import Model
from arenite.model.model import Array
from arenite.options import refuse
from arenite.runtime.io_conversion import quantized

#: What inputs are called that nobody gave.
RANDOM = "random inputs"


def inferences(
    a: Side, b: Side, given: tuple[Any, Any], runs: int, seed: int
) -> tuple[list[list[Array]], str]:
    """Inputs of all inferences for the first side's model, and where they are from.

    Args:
        a: The first side.
        b: The second.
        given: Arrays, and data as :func:`arenite.evaluate` takes them; one of them or neither.
        runs: How many random ones, or samples at most.
        seed: Of the random ones.

    Raises:
        ValueError: Both are given, or there are no samples.
        CompareError: An array has another type or shape than its input.
    """
    inputs, data = given
    if inputs is not None and data is not None:
        raise ValueError("expected inputs or data, got both")
    if inputs is not None:
        return _runs(a.model, inputs), ""
    # For a model of floats what a quantised one can express, if there is one.
    other = b.model if is_float(a.model) and not is_float(b.model) else a.model
    rows, origin = (random_runs(other, runs, seed), RANDOM)
    if data is not None:
        rows, origin = _samples(other, data, runs)
    return rows if other is a.model else inputs_for(rows, other, a.model), origin


def _samples(model: Model, data: Any, most: int) -> tuple[list[list[Array]], str]:
    found = data_of(data, model, Reading())
    count = min(most, len(found.source))
    if not count:
        raise ValueError(f"expected samples, got none in {found.origin}")
    fed = found.source.part(np.arange(count)).feed(model, None).inputs
    ports = list(zip(fed, model.inputs, strict=True))
    arrays = [_typed(array.reshape(-1, *tensor.shape), tensor) for array, tensor in ports]
    rows = [[array[n] for array in arrays] for n in range(len(arrays[0]))]
    return rows, f"{len(rows)} samples of {found.origin}"


def _typed(array: Array, tensor: Any) -> Array:
    is_real = array.dtype.kind == "f" and tensor.type.dtype.kind != "f"
    return quantized(array, tensor) if is_real else array.astype(tensor.type.dtype, copy=False)


def _runs(
    model: Model, inputs: Sequence[npt.ArrayLike | Sequence[npt.ArrayLike]]
) -> list[list[Array]]:
    count = len(model.inputs)
    if not isinstance(inputs, np.ndarray | Sequence) or isinstance(inputs, str | bytes):
        refuse("inputs", "a list with one entry per inference", inputs)
    if not len(inputs):
        raise ValueError("inputs: expected those of one inference at least, got none")
    rows = [[one] if count == 1 and not isinstance(one, list) else list(one) for one in inputs]  # type: ignore[arg-type]
    arrays = [[np.asarray(value) for value in row] for row in rows]
    for row in arrays:
        for value, tensor in zip(row, model.inputs, strict=True):
            if value.shape != tensor.shape or value.dtype != tensor.type.dtype:
                raise CompareError(
                    f"input {tensor.name!r}: expected {tensor.type}{list(tensor.shape)}, got "
                    f"{value.dtype}{list(value.shape)}"
                )
    return arrays


def is_float(model: Model) -> bool:
    """Whether all inputs are floats."""
    return all(tensor.type.dtype.kind == "f" for tensor in model.inputs)
