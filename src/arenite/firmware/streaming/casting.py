"""The cast of a group: layers as actors, tensors as stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arenite.firmware.kernels.portable.streamed_mean import collection_of
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.streaming.group import ALIGNMENT, Group, Kernels, Member, Part
from arenite.firmware.streaming.reach import Reach, Reaches, part_of, reaches_of
from arenite.firmware.streaming.schedule import Actor, Read, Scene, Store, schedule_of


class Parts:
    """Layers of a few rows and their kernels, each made once.

    Args:
        kernels: How a layer is done.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self._reaches: dict[int, Reaches | str] = {}
        self._parts: dict[tuple[int, int], Part] = {}

    def reaches(self, layer: AnyLayer) -> Reaches:
        """The layer by rows.

        Raises:
            UnsupportedError: It does not go by rows.
        """
        if layer.index not in self._reaches:
            self._reaches[layer.index] = self._look(layer)
        found = self._reaches[layer.index]
        if isinstance(found, str):
            raise UnsupportedError(found)
        return found

    def _look(self, layer: AnyLayer) -> Reaches | str:
        try:
            found = reaches_of(layer)
            if not found.collects:
                self.part(layer, found, 1)
        except UnsupportedError as error:
            return str(error)
        return found

    def part(self, layer: AnyLayer, reaches: Reaches, rows: int) -> Part:
        """The layer for so many rows."""
        key = layer.index, rows
        if key not in self._parts:
            part = part_of(layer, reaches, rows)
            work = self._kernels(part)
            if work.states or any(one.alignment > ALIGNMENT for one in work.scratch):
                raise UnsupportedError("a kernel with memory of its own does not go by rows")
            self._parts[key] = Part(part, work)
        return self._parts[key]


def group_of(
    network: Network, first: int, steps: Sequence[int], parts: Parts, *, by_rows: bool = False
) -> Group:
    """Layers from ``first`` on as a group; of each how many rows it makes at a time.

    With ``by_rows`` the model's inputs are delivered row by row.

    Raises:
        UnsupportedError: A layer does not go by rows, or in no group like this one.
    """
    return _Casting(network, first, steps, parts, by_rows=by_rows).group()


@dataclass
class _Wanted:
    """The readers of a tensor in the group."""

    value: Value
    top: int = 0
    bottom: int = 0
    pad: int | None = None

    def add(self, reach: Reach) -> None:
        if not reach.is_padded:
            return
        if self.pad not in (None, reach.pad):
            raise UnsupportedError(f"{self.value.name!r} is padded in two ways")
        self.pad = reach.pad
        self.top, self.bottom = max(self.top, reach.top), max(self.bottom, reach.bottom)


class _Casting:
    """Stores are numbered as they are met; a tensor may be there as a whole and as a ring."""

    def __init__(
        self, network: Network, first: int, steps: Sequence[int], parts: Parts, *, by_rows: bool
    ) -> None:
        self._network, self._first, self._end = network, first, first + len(steps)
        self._parts = parts
        self._layers = network.layers[first : self._end]
        self._reaches = [parts.reaches(layer) for layer in self._layers]  # each has one output
        #: By tensor: how many of its rows are made at a time, and how many first.
        self._steps = {
            layer.output.index: step for layer, step in zip(self._layers, steps, strict=True)
        }
        self._leads: dict[int, int] = {}
        self._fed = {value.index for value in network.inputs} if by_rows else set[int]()
        self._stores: list[Store] = []
        self._values: list[Value] = []
        self._pads: list[int] = []
        self._actors: list[Actor] = []
        self._members: list[Member] = []
        self._whole: dict[int, int] = {}
        self._rings: dict[int, int] = {}
        self._wanted: dict[int, _Wanted] = {}

    def group(self) -> Group:
        for layer, one in zip(self._layers, self._reaches, strict=True):
            if one.collects and layer is not self._layers[-1]:
                raise UnsupportedError("a layer that collects ends its group")
            for reach in one.inputs:
                value = layer.input(reach.input)
                self._wanted.setdefault(value.index, _Wanted(value)).add(reach)
        self._pace()
        for layer, one in zip(self._layers, self._reaches, strict=True):
            self._cast(layer, one)
        scene = Scene(tuple(self._actors), tuple(self._stores))
        return Group(
            self._first,
            self._end,
            tuple(self._steps[layer.output.index] for layer in self._layers),
            scene,
            tuple(self._members),
            tuple(self._values),
            tuple(self._pads),
            schedule_of(scene),
        )

    def _pace(self) -> None:
        """Rows of every tensor that are made at a time, and at first.

        First as many as leave whole steps to where its reader's first window ends. Rows that are
        copied come as fast as they go.
        """
        for layer, one in zip(reversed(self._layers), reversed(self._reaches), strict=True):
            index = layer.output.index
            step = self._steps[index] = min(self._steps[index], one.rows)
            own = self._leads.setdefault(index, step)
            for reach in one.inputs:
                value, end = layer.input(reach.input), reach.end(own - 1)
                at_once = step * min(reach.stride, reach.kernel)
                step_there = self._steps.setdefault(value.index, at_once)
                first = (end - 1) % step_there + 1
                self._leads.setdefault(value.index, max(min(value.shape[1], first), 1))

    def _cast(self, layer: AnyLayer, reaches: Reaches) -> None:
        reads = tuple(self._read(layer.input(reach.input), reach) for reach in reaches.inputs)
        target, index = self._target(layer.output), layer.output.index
        step, lead = self._steps[index], self._leads[index]
        actor = Actor(reads, target, reaches.rows, step, lead, reaches.collects)
        if reaches.collects:
            collections = {count: collection_of(layer, count) for count in actor.counts}
            member = Member(layer.output, layer, collections=collections)
        else:
            found = {count: self._parts.part(layer, reaches, count) for count in actor.counts}
            member = Member(layer.output, layer, parts=found)
        self._actors.append(actor)
        self._members.append(member)

    def _target(self, value: Value) -> int:
        """The store of an output: a ring where nobody needs it as a whole."""
        if self._is_needed_outside(value):
            self._whole[value.index] = self._store(value, Store(value.shape[1]), 0)
            return self._whole[value.index]
        return self._ring(value)

    def _ring(self, value: Value) -> int:
        wanted = self._wanted.get(value.index, _Wanted(value))
        store = Store(value.shape[1], is_ring=True, top=wanted.top, bottom=wanted.bottom)
        self._rings[value.index] = self._store(value, store, wanted.pad or 0)
        return self._rings[value.index]

    def _store(self, value: Value, store: Store, pad: int) -> int:
        self._stores.append(store)
        self._values.append(value)
        self._pads.append(pad)
        return len(self._stores) - 1

    def _read(self, value: Value, reach: Reach) -> Read:
        """Where a layer reads a tensor: in its ring, or where it is as a whole."""
        index = value.index
        if index in self._fed:
            if index not in self._rings:
                self._feed(value, None)
            return Read(self._rings[index], reach)
        if index not in self._whole and index not in self._rings:
            self._whole[index] = self._store(value, Store(value.shape[1]), 0)
        if index in self._whole and reach.is_padded:
            if index not in self._rings:
                self._feed(value, self._whole[index])
            return Read(self._rings[index], reach)
        return Read(self._whole.get(index, self._rings.get(index, -1)), reach)

    def _feed(self, value: Value, source: int | None) -> None:
        """Copy a tensor's rows to a ring, or have them delivered there."""
        ring = self._ring(value)
        reads = () if source is None else (Read(source, Reach(0)),)
        step, lead = self._steps[value.index], self._leads[value.index]
        self._actors.append(Actor(reads, ring, value.shape[1], step, lead))
        self._members.append(Member(value, source=source))

    def _is_needed_outside(self, value: Value) -> bool:
        if any(value.index == one.index for one in self._network.outputs):
            return True
        others = (*self._network.layers[: self._first], *self._network.layers[self._end :])
        return any(value.index == one.index for layer in others for one in layer.present())
