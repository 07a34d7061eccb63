"""Tensors that an NPU stores while it computes a model, and the original's found among them.

Vela keeps no names. A layer's output is found by its values: as a whole, or in the parts in which
streams compute it, some rows or some channels each. What is not found so is taken by its shape,
from what is stored between the neighbours that are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model import Model
from arenite.model.model import Array
from arenite.npu.operations import Operation
from arenite.ops import places_operands, resolver_of
from arenite.peers import Tensors
from arenite.runtime.micro_interpreter import MicroInterpreter

Int64 = npt.NDArray[np.int64]


@dataclass(eq=False)
class Stored:
    """A map that an operation stores: its values in every inference, ``[height, width, depth]``."""

    dtype: np.dtype[Any]
    runs: list[Int64] = field(default_factory=list)

    @property
    def values(self) -> Int64:
        """Values of all inferences: ``[runs, height, width, depth]``."""
        return np.stack(self.runs)


def is_compiled(model: Model) -> bool:
    """Whether Vela compiled some of its layers."""
    return any(places_operands(one) for one in model.main.operators)


def run_in_arena(
    model: Model, runs: Sequence[Sequence[Array]], target: str | None = None
) -> tuple[list[Tensors], list[Stored]]:
    """Run a compiled model, whose tensors have to lie where its plan says.

    Returns:
        The outputs of its operators by tensor, per inference; and what the NPU stores, in order.

    Raises:
        AreniteError: The model cannot run.
    """
    micro = MicroInterpreter.in_smallest_arena(
        model, resolver_of(model), target=target, engine="reference"
    )
    stored: list[Stored] = []
    found = []
    for number, inputs in enumerate(runs):
        for place, value in enumerate(inputs):
            micro.input(place)[...] = value
        cursor = _Cursor(stored, is_first=number == 0)
        found.append(_one_run(micro, model, cursor))
    return found, stored


@dataclass(eq=False)
class _Cursor:
    """The next one that is told: every inference stores the same maps in the same order."""

    stored: list[Stored]
    is_first: bool
    place: int = 0

    def note(self, dtype: np.dtype[Any], values: Int64) -> None:
        if self.is_first:
            self.stored.append(Stored(dtype))
        self.stored[self.place].runs.append(values)
        self.place += 1


def _one_run(micro: MicroInterpreter, model: Model, cursor: _Cursor) -> Tensors:
    def watch(operation: Operation, values: Int64) -> None:
        target = operation.writes
        assert target is not None
        cursor.note(target.dtype, values)

    tensors: Tensors = {}
    for number, operator in enumerate(model.main.operators):
        node = micro.life.graph.entry(number).node
        is_npu = places_operands(operator)
        if is_npu:
            node.host["watch"] = watch
        micro.invoke_operator(number)
        node.host.pop("watch", None)
        for index, value in micro.operator_tensors(number)[1]:
            tensors[index] = value.copy()
            if not is_npu and value.dtype.kind in "iu":
                cursor.note(value.dtype, _as_map(value.astype(np.int64)))
    return tensors


def _as_map(values: Int64) -> Int64:
    """Values as height, width and depth."""
    shape = (1,) * (3 - values.ndim) + values.shape
    return values.reshape(shape if len(shape) == 3 else (-1, *shape[-2:]))


class _Layer(NamedTuple):
    """A tensor of the original: its index, type, values of all inferences as maps."""

    tensor: int
    dtype: np.dtype[Any]
    values: Int64


def as_original(
    original: Model, tensors: Sequence[Tensors], stored: Sequence[Stored]
) -> list[Tensors]:
    """Stored values by the original's tensors, per inference; some may be missing.

    Args:
        original: The model that was compiled.
        tensors: Its own values, per inference.
        stored: What :func:`run_in_arena` found.
    """
    layers = list(_layers(original, tensors))
    maps = [one.values for one in stored]
    matched: dict[int, list[int]] = {}
    for layer in layers:
        parts = _equal(layer, maps)
        if parts is not None:
            matched[layer.tensor] = parts
    taken = {part for parts in matched.values() for part in parts}
    found: dict[int, Int64] = {}
    for place, layer in enumerate(layers):
        if layer.tensor in matched:
            found[layer.tensor] = layer.values
            continue
        low = max(
            (max(matched[o.tensor]) for o in layers[:place] if o.tensor in matched), default=-1
        )
        high = min(
            (min(matched[o.tensor]) for o in layers[place + 1 :] if o.tensor in matched),
            default=len(maps),
        )
        free = [
            i for i in range(low + 1, high) if i not in taken and stored[i].dtype == layer.dtype
        ]
        other = _by_shape(layer, maps, free)
        if other is not None:
            parts, found[layer.tensor] = other
            matched[layer.tensor] = parts
            taken.update(parts)
    return [
        {
            index: values[run].reshape(tensors[run][index].shape).astype(tensors[run][index].dtype)
            for index, values in found.items()
        }
        for run in range(len(tensors))
    ]


def _layers(original: Model, tensors: Sequence[Tensors]) -> Iterator[_Layer]:
    """Outputs of integers, in the order of operators."""
    for operator in original.main.operators:
        for index in operator.outputs:
            if index in tensors[0] and tensors[0][index].dtype.kind in "iu":
                values = [_as_map(one[index].astype(np.int64)) for one in tensors]
                yield _Layer(index, tensors[0][index].dtype, np.stack(values))


def _equal(layer: _Layer, maps: Sequence[Int64]) -> list[int] | None:
    """The maps that hold the layer's values, as a whole or in parts; None where none do."""
    flat = layer.values.reshape(len(layer.values), -1)
    for place, one in enumerate(maps):
        if one[0].size == flat.shape[1] and np.array_equal(one.reshape(flat.shape), flat):
            return [place]
    cover = _Cover(layer.values)
    parts = [place for place, one in enumerate(maps) if cover.take(one, must_be_equal=True)]
    return parts if cover.is_whole else None


def _by_shape(
    layer: _Layer, maps: Sequence[Int64], free: Sequence[int]
) -> tuple[list[int], Int64] | None:
    """The first map of as many elements, or the first parts that make up the layer."""
    for place in free:
        if maps[place][0].size == layer.values[0].size:
            return [place], maps[place].reshape(layer.values.shape)
    cover = _Cover(layer.values)
    parts = [place for place in free if cover.take(maps[place], must_be_equal=False)]
    return (parts, cover.made) if cover.is_whole else None


class _Cover:
    """A layer that parts make up, one after the other: rows or channels of all columns."""

    def __init__(self, values: Int64) -> None:
        self._values = values
        self._is_covered = np.zeros((values.shape[1], values.shape[3]), bool)
        self.made = np.zeros_like(values)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return bool(self._is_covered.all())

    def take(self, part: Int64, *, must_be_equal: bool) -> bool:
        """Take a part if it goes on where those before it end."""
        if self.is_whole:
            return False
        row, channel = np.argwhere(~self._is_covered)[0]
        _, height, _, depth = part.shape
        rows, channels = slice(row, row + height), slice(channel, channel + depth)
        there = self._values[:, rows, :, channels]
        if part.shape != there.shape or part.size == self._values.size:
            return False
        if must_be_equal and not np.array_equal(part, there):
            return False
        self.made[:, rows, :, channels] = part
        self._is_covered[rows, channels] = True
        return True
