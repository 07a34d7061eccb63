"""The contents of every byte of every tensor, to check memory that tensors share.

Every byte that a layer computes has a number of its own, and moves hand numbers on. So a byte of a
tensor may lie in another tensor's memory exactly where that holds the same number when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from arenite.firmware.network.kernel import Place, State, Work
from arenite.firmware.network.layers import AnyLayer, Network, Value

#: What lies in a block of memory: tensors, by their index, and variables.
Member: TypeAlias = int | State
Numbers: TypeAlias = np.ndarray[Any, Any]
#: More than a tensor has bytes, and the first number of what is no tensor.
_FAR, _OTHERS = 1 << 32, 1 << 24
_NOTHING = -1


@dataclass(frozen=True)
class Block:
    """Memory of several tensors: where in it each of them begins."""

    offsets: Mapping[Member, int]
    bytes: int

    @property
    def states(self) -> list[State]:
        """The variables in it."""
        return [one for one in self.offsets if isinstance(one, State)]

    @property
    def more(self) -> int:
        """Bytes beyond those of variables."""
        return self.bytes - sum(one.bytes for one in self.states)


def member_of(array: Value | State) -> Member:
    """A tensor or a variable as a member."""
    return array if isinstance(array, State) else array.index


def values_of(network: Network) -> Iterator[Value]:
    """All tensors, some of them more than once."""
    yield from network.inputs
    for layer in network.layers:
        yield from (value for value in (*layer.inputs, *layer.outputs) if value is not None)
    yield from network.outputs


class Story:
    """The numbers of bytes: of tensors, and of variables as layers change them."""

    def __init__(self, network: Network, works: Sequence[Work]) -> None:
        self._handed: dict[int, Numbers] = {}
        self._sizes = {value.index: value.nbytes for value in values_of(network)}
        self._others = 0
        states = dict.fromkeys(state for work in works for state in work.states)
        #: What variables are before the first layer.
        self.first = {state: self._new(state) for state in states}
        #: And behind every layer that changes them.
        self.given: list[dict[State, Numbers]] = []
        now = dict(self.first)
        for layer, work in zip(network.layers, works, strict=True):
            self.given.append(self._tell(layer, work, now))
            now |= self.given[-1]

    def of(self, tensor: int) -> Numbers:
        """A tensor's."""
        found = self._handed.get(tensor)
        return tensor * _FAR + np.arange(self._sizes[tensor]) if found is None else found

    def _new(self, state: State) -> Numbers:
        self._others += 1
        return (_OTHERS + self._others) * _FAR + np.arange(state.bytes)

    def _tell(
        self, layer: AnyLayer, work: Work, now: Mapping[State, Numbers]
    ) -> dict[State, Numbers]:
        """Hand numbers on; what variables are behind the layer, those that it only reads aside."""
        if work.routine is None and work.in_place:
            self._handed[layer.output.index] = self.of(layer.input(work.in_place[0]).index)
        given, read = dict[State, Numbers](), set[State]()
        for place, writes_part in _places(layer, work):
            part, inside = place.part.index, slice(place.offset, place.offset + place.part.nbytes)
            if isinstance(place.whole, State) and writes_part:
                self._handed[part] = now[place.whole][inside]
                read.add(place.whole)
            elif isinstance(place.whole, State):
                given[place.whole] = given.get(place.whole, now[place.whole]).copy()
                given[place.whole][inside] = self.of(part)
            elif writes_part:
                self._handed[part] = self.of(place.whole.index)[inside]
            else:
                whole = self._handed[place.whole.index] = self.of(place.whole.index).copy()
                whole[inside] = self.of(part)
        rest = (state for state in work.states if state not in given and state not in read)
        return given | {state: self._new(state) for state in rest}


def _places(layer: AnyLayer, work: Work) -> Iterator[tuple[Place, bool]]:
    """The moves that have places, and whether they write the part: else they write the whole."""
    outputs = {value.index for value in layer.outputs}
    for place in work.places:
        if place is not None:
            yield place, place.part.index in outputs


# -- a block of memory --------------------------------------------------------------------


def plays(
    network: Network,
    works: Sequence[Work],
    story: Story,
    block: Block,
    kept: Iterable[Value],
) -> bool:
    """Whether every byte that is read out of a block is the one that is meant.

    ``kept`` are tensors that are read at the end beside outputs and variables.
    """
    play = _Play(story, block)
    fed = {value.index: story.of(value.index) for value in network.inputs}
    play.write({**story.first, **fed})
    right = play.has(play.now) and play.has(fed)
    for layer, work in zip(network.layers, works, strict=True):
        right = right and play.layer(layer, work)
    last = [value.index for value in (*network.outputs, *kept)]
    return right and play.has(play.now) and play.has(last)


class _Play:
    """The bytes of a block, and what variables should be by ``now``."""

    def __init__(self, story: Story, block: Block) -> None:
        self._story, self._block = story, block.offsets
        self._bytes = np.full(block.bytes, _NOTHING, np.int64)
        self.now = dict(story.first)

    def has(self, members: Iterable[Member]) -> bool:
        """Whether those of them that lie here hold what they should."""
        return all(
            np.array_equal(self._bytes[self._span(one)], self._numbers(one))
            for one in members
            if one in self._block
        )

    def write(self, numbers: Mapping[Any, Numbers]) -> None:
        """Write those that lie here."""
        for one, given in numbers.items():
            if one in self._block:
                self._bytes[self._span(one)] = given

    def layer(self, layer: AnyLayer, work: Work) -> bool:
        """One layer; whether what it reads and gives is right."""
        reads: list[Member] = [value.index for value in layer.present()]
        outputs: list[Member] = [value.index for value in layer.outputs]
        given = self._story.given[layer.index]
        if {*reads, *outputs, *work.states, *given}.isdisjoint(self._block) and not work.ends:
            self.now |= given
            return True
        if not self.has([*reads, *work.states]):
            return False
        if work.places:
            right = self._moves(layer, work)
        else:
            right = self._may_lie(layer, work)
            self._compute(layer, work, given)
        self.now |= given
        return right and self.has([*outputs, *(self.now if work.ends else given)])

    def _span(self, one: Member) -> slice:
        begin = self._block[one]
        return slice(begin, begin + len(self._numbers(one)))

    def _numbers(self, one: Member) -> Numbers:
        return self.now[one] if isinstance(one, State) else self._story.of(one)

    def _compute(self, layer: AnyLayer, work: Work, given: Mapping[State, Numbers]) -> None:
        """Write a kernel's outputs and variables; spoil the room that it may use behind outputs."""
        if work.routine is None:
            return
        own = {v.index: self._story.of(v.index) for v in layer.outputs if v.index in self._block}
        for index in own:
            end = self._span(index).stop
            self._bytes[end : end + work.room] = _NOTHING
        self.write(own)
        self.write(given)

    def _may_lie(self, layer: AnyLayer, work: Work) -> bool:
        """Whether outputs lie over inputs only where a kernel lets them."""
        there = ((n, v.index) for n, v in enumerate(layer.inputs) if v is not None)
        inputs = {n: self._span(index) for n, index in there if index in self._block}
        for value in layer.outputs if work.routine else ():
            if value.index not in self._block:
                continue
            y = self._span(value.index)
            y = slice(y.start, y.stop + work.room)
            for number, x in inputs.items():
                begins = x.start == y.start or (work.grows and y.start > x.start)
                if _meet(x, y) and not (number in work.in_place and begins):
                    return False
        return True

    def _moves(self, layer: AnyLayer, work: Work) -> bool:
        """The moves that are left, in their order; what has no place comes from elsewhere."""
        left = [place for n, place in enumerate(work.places) if n not in work.taken]
        directions = dict(_places(layer, work))
        right = True
        for place in filter(None, left):
            right = self._move(place, directions[place]) and right
        if None in left:
            self._rest(layer, directions)
            right = right and self.has(value.index for value in layer.present())
        return right

    def _move(self, place: Place, writes_part: bool) -> bool:
        """One move between the part's place and its place in the whole, downwards."""
        part, whole, size = place.part.index, member_of(place.whole), place.part.nbytes
        alone = inside = None
        if part in self._block:
            alone = slice(self._block[part], self._block[part] + size)
        if whole in self._block:
            begin = self._block[whole] + place.offset
            inside = slice(begin, begin + size)
        source, target = (inside, alone) if writes_part else (alone, inside)
        if target is None:
            return True
        if source is None:
            self._bytes[target] = self._story.of(part)
            return True
        self._bytes[target] = self._bytes[source].copy()
        return not _meet(source, target) or target.start <= source.start

    def _rest(self, layer: AnyLayer, directions: Mapping[Place, bool]) -> None:
        """Bytes of outputs that no place says anything of."""
        for value in layer.outputs:
            if value.index not in self._block:
                continue
            own = np.ones(value.nbytes, bool)
            for place, writes_part in directions.items():
                if place.part is value and writes_part:
                    own[:] = False
                elif place.whole is value:
                    own[place.offset : place.offset + place.part.nbytes] = False
            self._bytes[self._span(value.index)][own] = self._story.of(value.index)[own]


def _meet(one: slice, two: slice) -> bool:
    return bool(one.start < two.stop and two.start < one.stop)
