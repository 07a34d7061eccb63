"""One inference as facts and as a person reads it: what went in, what came out, how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.text import Text

from arenite.analysis.facts import tensor_facts
from arenite.errors import ShapeError
from arenite.model import Tensor
from arenite.report.text import (
    Column,
    duration,
    name_text,
    printable,
    size,
    table,
    tensor_text,
    wrapped,
)
from arenite.runtime.feed import dequantized
from arenite.target import Target

Array = npt.NDArray[Any]

_BAR = 20


@dataclass(frozen=True)
class Inference:
    """What an inference took and gave: whose bits, computed by which engine.

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


@dataclass(frozen=True)
class Ranked:
    """One of an output's largest values; ``value`` is the real number that ``raw`` stands for."""

    index: int
    label: str
    value: float
    raw: int | float


def top(array: Array, tensor: Tensor, labels: Sequence[str], count: int) -> list[Ranked]:
    """The ``count`` largest of a vector's values, equal ones by index, NaN last.

    Empty if the output has more than one axis that is longer than 1, a single value, or values
    that have no order or are packed.
    """
    if sum(n > 1 for n in array.shape) != 1 or not _is_plain(tensor):
        return []
    raw, values = array.reshape(-1), dequantized(array, tensor).reshape(-1)
    order = _descending(values)[:count]
    return [
        Ranked(int(i), labels[i] if labels else "", float(values[i]), raw[i].item()) for i in order
    ]


def _is_plain(tensor: Tensor) -> bool:
    """Whether every value is a real number in whole bytes."""
    dtype = tensor.type.dtype
    return tensor.type.bits == dtype.itemsize * 8 and dtype.kind in "biuf"


def _descending(values: Array) -> Array:
    """Indices from the largest value to the smallest; there is no minus for bool and unsigned."""
    order: Array = len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]
    missing = np.isnan(values[order])
    return np.concatenate([order[~missing], order[missing]])


def check_labels(labels: Sequence[str], tensors: Sequence[Tensor]) -> None:
    """Refuse labels that are not one per value of the first output.

    Raises:
        ShapeError: Their number is another.
    """
    if labels and not tensors:
        raise ShapeError(f"expected a model with an output for {len(labels)} labels, got none")
    if labels and len(labels) != tensors[0].size:
        raise ShapeError(
            f"expected {tensors[0].size} labels, one per value of output "
            f"{tensors[0].name!r} ({tensor_text(tensors[0])}), got {len(labels)}"
        )


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
                "top": [vars(ranked) for ranked in _top(inference, index, count)],
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


def _top(inference: Inference, index: int, count: int) -> list[Ranked]:
    """Labels are for the first output."""
    labels = () if index else inference.labels
    return top(inference.arrays[index], inference.outputs[index], labels, count)


def render_inference(
    inference: Inference, width: int, count: int, bar: str = "█"
) -> Iterator[Text]:
    """Inputs and their origins, outputs and their largest values, time."""
    yield Text(printable(inference.file), style="bold")
    yield from wrapped(str(inference.target), width)
    yield Text()
    for tensor, origin in zip(inference.inputs, inference.origins, strict=True):
        yield Text.assemble(("in   ", "cyan"), f"{tensor_text(tensor)}  {name_text(tensor.name)}")
        yield Text(f"     {printable(origin)}", style="dim")
    for index, tensor in enumerate(inference.outputs):
        yield Text.assemble(("out  ", "cyan"), f"{tensor_text(tensor)}  {name_text(tensor.name)}")
        ranked = _top(inference, index, count)
        if ranked:
            yield from _ranking(ranked, width, bar)
        else:
            yield _summary(inference.arrays[index], tensor)
    yield Text()
    yield _time(inference.seconds, inference.engine)


def _ranking(ranked: Sequence[Ranked], width: int, bar: str) -> Iterator[Text]:
    largest = ranked[0].value
    columns = [
        Column("", ["   "] * len(ranked)),
        Column("#", [str(r.index) for r in ranked], "right"),
        Column("label", [printable(r.label) for r in ranked], shrink=12),
        Column("value", [f"{r.value:.4g}" for r in ranked], "right"),
        Column("raw", [str(r.raw) for r in ranked], "right", keep=2),
        Column("", [bar * _length(r.value, largest) for r in ranked], keep=1, style="green"),
    ]
    if not any(r.label for r in ranked):
        del columns[2]
    if all(isinstance(r.raw, float) for r in ranked):
        columns = [column for column in columns if column.heading != "raw"]
    yield from table(columns, width)


def _length(value: float, largest: float) -> int:
    """Cells of a bar; none for NaN, infinities and values under zero."""
    if not (np.isfinite(value) and np.isfinite(largest) and 0 < value <= largest):
        return 0
    return round(_BAR * value / largest)


def _summary(array: Array, tensor: Tensor) -> Text:
    if not array.size:
        return Text("     no values")
    if not _is_plain(tensor):
        return Text(f"     {size(array.nbytes)} of {tensor.type}")
    values = dequantized(array, tensor).astype(np.float64)
    if values.size == 1:
        return Text(f"     {values.reshape(-1)[0]:.6g}")
    return Text(
        f"     min {values.min():.4g}  mean {values.mean():.4g}  max {values.max():.4g}",
    )


def _time(seconds: Sequence[float], engine: str) -> Text:
    if len(seconds) == 1:
        text = f"{duration(seconds[0])}, one run, {engine} engine"
        return Text.assemble(("time  ", "bold"), text)
    spread = f"{duration(min(seconds))} .. {duration(max(seconds))}"
    text = f"{duration(median(seconds))}, median of {len(seconds)} ({spread}), {engine} engine"
    return Text.assemble(("time  ", "bold"), text)
