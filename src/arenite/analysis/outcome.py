"""Inputs and outputs of one inference, and how long it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from arenite.analysis.engines.ranking import Ranked, top
from arenite.analysis.facts import tensor_facts
from arenite.model import Tensor
from arenite.model.model import Array
from arenite.runtime.io_conversion import dequantized
from arenite.target import Target


@dataclass(frozen=True)
class Inference:
    """Inputs and outputs of an inference: whose bits, computed by which engine.

    ``origins`` says of each input where its data come from; ``seconds`` holds the time of
    every timed repeat.
    """

    file: str
    target: Target
    engine: str
    inputs: tuple[Tensor, ...]
    origins: tuple[str, ...]
    outputs: tuple[Tensor, ...]
    arrays: tuple[Array, ...]
    seconds: tuple[float, ...]
    labels: tuple[str, ...] = ()

    def top(self, output: int, count: int) -> list[Ranked]:
        """The largest values of an output; labels are for the first one."""
        labels = () if output else self.labels
        return top(self.arrays[output], self.outputs[output], labels, count)


def inference_facts(inference: Inference, count: int) -> dict[str, Any]:
    """Everything that ``arenite run`` prints, and the outputs themselves."""
    seconds = inference.seconds
    return {
        "file": inference.file,
        "target": asdict(inference.target),
        "engine": inference.engine,
        "inputs": [
            {**tensor_facts(tensor), "origin": origin}
            for tensor, origin in zip(inference.inputs, inference.origins, strict=True)
        ],
        "outputs": [
            {
                **tensor_facts(tensor),
                "values": _numbers(array),
                "top": [vars(ranked) for ranked in inference.top(index, count)],
            }
            for index, (tensor, array) in enumerate(
                zip(inference.outputs, inference.arrays, strict=True)
            )
        ],
        "repeat": len(seconds),
        "seconds": {"median": median(seconds), "min": min(seconds), "max": max(seconds)},
    }


def _numbers(array: Array) -> Any:
    """Nested lists of what JSON has: a complex number is a pair."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1).tolist()
    return array.tolist()


class Summary(NamedTuple):
    """The smallest value, the mean and the largest one, as real numbers."""

    smallest: float
    mean: float
    largest: float


def summary(array: Array, tensor: Tensor) -> Summary:
    """A summary of at least one value of a plain type."""
    values = dequantized(array, tensor).astype(np.float64)
    return Summary(float(values.min()), float(values.mean()), float(values.max()))
