"""Layers of a firmware next to TFLM's with CMSIS-NN on the same emulated core, one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from arenite.firmware.stock.board import StockBoard
from arenite.firmware.trial import Trial, trial_inputs
from arenite.model import Model


@dataclass(frozen=True)
class Pair:
    """Instructions of a layer here and there."""

    name: str
    about: str
    own: int
    theirs: int
    reason: str

    @property
    def ratio(self) -> float:
        return self.own / self.theirs


def pairs(result: Trial, model: Model, tflm: str) -> list[Pair]:
    """Of a firmware whose layers are the model's operators."""
    board = StockBoard(model, tflm, result.processor)
    board.begin()
    theirs, _ = board.layers(trial_inputs(model, 1)[0])
    tensors, found = model.main.tensors, []
    for layer, (_, count), op in zip(result.layers, theirs, model.main.operators, strict=True):
        shapes = [tensors[i].shape for i in (*op.inputs[:2], *op.outputs[:1])]
        about = " ".join("x".join(map(str, shape)) for shape in shapes)
        one = Pair(layer.name, about, layer.instructions, count.instructions, layer.reason)
        found.append(one)
    return found


def table(found: Sequence[Pair]) -> Iterator[str]:
    """A row per operator; then every layer that takes more here than there."""
    yield "| operator | layers | median | worst | above 1.0 |\n|---|--:|--:|--:|--:|"
    for name in sorted({one.name for one in found}):
        ratios = [one.ratio for one in found if one.name == name]
        above = sum(ratio > 1 for ratio in ratios)
        row = f"{len(ratios)} | {median(ratios):.2f} | {max(ratios):.2f} | {above}"
        yield f"| {name} | {row} |"
    for one in sorted(found, key=lambda one: -one.ratio):
        if one.ratio > 1:
            counts = f"{one.own} for {one.theirs}"
            yield f"{one.ratio:.2f}: {one.name} {one.about}, {counts}; {one.reason}"
