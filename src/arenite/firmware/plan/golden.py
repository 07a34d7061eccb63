"""Samples for a firmware's self-test: inputs, and the outputs of the reference kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.c_text import C_TYPES, c_elements
from arenite.errors import ConstraintError, LoopLimitError, OptimizationError
from arenite.firmware.network.layers import Value
from arenite.firmware.plan.program import Program
from arenite.model import Model, Tensor, TensorType
from arenite.ops.context import Array
from arenite.optimize.loops import call_budget
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.heap_host import HeapInterpreter

#: Two samples of noise, one of the lowest bytes, one of the highest.
SAMPLES = 4

#: Types that may stand for places, counts and sizes.
WHOLE = (TensorType.INT32, TensorType.INT64, TensorType.UINT32, TensorType.UINT64)


def sample(values: Sequence[Value | Tensor], number: int, whole: int | None = None) -> list[Array]:
    """The inputs of a sample, as the self-test makes them.

    ``whole`` is what inputs of int32 and int64 are, if not noise as well.
    """
    seed, arrays = number, []
    for value in values:
        count = c_elements(value.type, value.size)[1]
        data = np.full(count, (-128 if number == 2 else 127), np.int64)
        if number < 2:
            for i in range(count):
                seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
                data[i] = (seed >> 24) - 128
        if whole is not None and value.type in WHOLE:
            data[...] = whole
        array = _as_type(data, value.type)
        arrays.append(array.reshape(value.shape) if array.size == prod(value.shape) else array)
    return arrays


def _as_type(data: Array, type_: TensorType) -> Array:
    """A byte from -128 to 127 as each type has it; of int16 both ends are among its values."""
    values = {
        TensorType.FLOAT32: data / 32,
        TensorType.UINT8: data + 128,
        TensorType.INT16: data * 256 + (data + 128),
        TensorType.BOOL: data & 1,
    }
    if C_TYPES.get(type_.dtype) is None:
        return data.astype(np.uint8).view(type_.dtype)
    array: Array = values.get(type_, data).astype(type_.dtype)
    return array


@dataclass(frozen=True)
class Golden:
    """Samples with what is computed of them, as far as the reference takes them; see `sample`.

    Attributes:
        whole: What inputs of whole numbers are.
        samples: Inputs.
        results: Of each sample what every layer gives, in order.
        outputs: Of each sample the outputs of the original model; None where the inference ended
            before them.
        unfinished: Why there are no more samples, where loops go on for too long.
    """

    whole: int | None
    samples: list[list[Array]]
    results: list[list[Array]]
    outputs: list[list[Array] | None]
    unfinished: str = ""


def golden_of(model: Model, program: Program, original: Model | None = None) -> Golden:
    """The most samples that the reference takes: whole numbers may be places and sizes.

    Args:
        model: The model whose layers the program has.
        program: It as a program.
        original: The model that it was made of; by default the same.

    Raises:
        OptimizationError: The outputs are not the original's.
    """
    found: list[Golden] = []
    for whole in (None, 1, 0):
        found.append(_golden(program, model, original or model, whole))
        if len(found[-1].results) == SAMPLES or found[-1].unfinished:
            break
    return max(found, key=lambda one: (bool(one.unfinished), len(one.results)))


def _golden(program: Program, model: Model, original: Model, whole: int | None) -> Golden:
    samples = [sample(program.network.inputs, number, whole) for number in range(SAMPLES)]
    budget = call_budget(original)
    layered = reference_of(model, budget)
    source = layered if original is model else reference_of(original, budget)
    results: list[list[Array]] = []
    outputs: list[list[Array] | None] = []
    unfinished = ""
    try:
        for inputs in samples:
            given = run_once(layered, inputs)
            wanted = given if source is layered else run_once(source, inputs)
            _require_same(wanted, given, len(results))
            outputs.append(wanted)
            layers = program.network.layers
            results.append(
                [tensor_of(layered, value.index) for one in layers for value in one.outputs]
            )
    except ConstraintError:
        pass  # of the samples from here on
    except LoopLimitError:
        unfinished = f"loops longer than {budget.limit:,} calls of subgraphs in all samples"
    count = min(len(results), len(outputs))
    return Golden(whole, samples[:count], results[:count], outputs[:count], unfinished)


def reference_of(model: Model, budget: CallBudget) -> HeapInterpreter:
    """The model on this machine, with every tensor in memory of its own."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    interpreter.limit_calls(budget)
    return interpreter


def tensor_of(interpreter: HeapInterpreter, index: int) -> Array:
    """A copy of what a tensor of the main subgraph holds."""
    data = interpreter.eval_tensor(index).data
    assert data is not None  # what layers write has memory
    return np.array(data)


def run_once(interpreter: HeapInterpreter, inputs: list[Array]) -> list[Array] | None:
    """The outputs of an inference; None where it ended before them."""
    for index, array in enumerate(inputs):
        interpreter.input(index)[...] = array
    is_whole = interpreter.invoke()
    count = len(interpreter.model.outputs) if is_whole else 0
    return [np.array(interpreter.output(index)) for index in range(count)] if is_whole else None


def _require_same(wanted: list[Array] | None, given: list[Array] | None, number: int) -> None:
    """The optimised model's outputs are the original's."""
    if wanted is None or given is None:
        if wanted is not given:
            raise OptimizationError(f"sample {number}: one model ended the inference, {_AROUND}")
        return
    for index, (a, b) in enumerate(zip(wanted, given, strict=True)):
        if not is_equal(a, b):
            raise OptimizationError(f"sample {number}: a pass changed output {index}, {_AROUND}")


_AROUND = "which is an error in Arenite; export without passes (--no-optimize)"


def is_equal(wanted: Array, given: Array) -> bool:
    """Whether all bits are equal; floats may be off by 1e-5 of the largest magnitude."""
    if wanted.dtype != np.float32:
        return wanted.tobytes() == given.tobytes()
    values, flat = given.reshape(-1).astype(np.float64), wanted.reshape(-1)
    largest = np.abs(flat[np.isfinite(flat)]).max(initial=0)
    return np.allclose(values, flat, rtol=0, atol=1e-5 * float(largest), equal_nan=True)
