"""Moves that are spared: tensors that lie in their places, side by side in one block of memory.

A layer that moves bytes says for every move which tensor is part of which other tensor, or of a
variable. Where both share a block, with the part at its place in the whole, nothing is moved. So
new rows are written straight behind the rows that a variable keeps, the two together are what a
window reads, and all that is left of a streaming layer is one move of the variable's bytes.

Moves are taken one by one, in order, as long as every byte that is read out of the block is the one
that is meant (:mod:`arenite.firmware.plan.story`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arenite.firmware.network.kernel import State, Work
from arenite.firmware.network.layers import Network
from arenite.firmware.plan.story import Block, Member, Story, member_of, plays, values_of
from arenite.firmware.streaming.group import Group

#: The alignment of every tensor: kernels load words.
ALIGNMENT = 4


@dataclass(frozen=True)
class Placed:
    """The work left in all layers, and the blocks of tensors that share memory for it."""

    works: tuple[Work, ...]
    blocks: tuple[Block, ...] = ()

    def without(self, block: Block) -> Placed:
        """The same with the tensors of a block apart, and their moves done."""
        works = tuple(_undone(work, block) for work in self.works)
        return Placed(works, tuple(one for one in self.blocks if one is not block))


def _undone(work: Work, block: Block) -> Work:
    places = {n: work.places[n] for n in work.taken}
    gone = {n for n, place in places.items() if place and place.part.index in block.offsets}
    if not gone:
        return work
    assert work.rest is not None
    return work.rest(work.taken - gone)


def placed(
    network: Network, works: Sequence[Work], groups: Sequence[Group] = (), inputs: str = ""
) -> Placed:
    """As many moves spared as can be; ``inputs`` is what becomes of the model's."""
    if not any(place for work in works for place in work.places):
        return Placed(tuple(works))
    return _Search(network, works, groups, inputs).found()


class _Search:
    def __init__(
        self, network: Network, works: Sequence[Work], groups: Sequence[Group], inputs: str
    ) -> None:
        self._network, self._works, self._inputs = network, list(works), inputs
        self._grouped = {n for group in groups for n in range(group.first, group.end)}
        self._values = {value.index: value for value in values_of(network)}
        # Works of layers in groups are those of a few rows, whose tensors have memory of their own.
        alone = [
            replace(work, places=()) if n in self._grouped else work for n, work in enumerate(works)
        ]
        self._story = Story(network, alone)
        self._never = set(self._excluded())
        self._fed = {value.index for value in network.inputs}
        self._wanted = {value.index for value in network.outputs}
        #: By member the block that it is in: offsets of all that are in there.
        self._blocks: dict[Member, dict[Member, int]] = {}

    def found(self) -> Placed:
        for layer, work in zip(self._network.layers, self._works, strict=True):
            if layer.index not in self._grouped and work.routine is None and work.in_place:
                x, y = layer.input(work.in_place[0]).index, layer.output.index
                self._put(_joined(self._block(x), self._block(y), self._block(x)[x], y))
        for number in range(len(self._works)):
            if number not in self._grouped:
                self._take(number)
        works = tuple(self._works)
        shared = {
            id(block): block
            for work in works
            for n in work.taken
            if (place := work.places[n]) is not None
            for block in [self._block(place.part.index)]
        }
        return Placed(works, tuple(Block(one, self._size(one)) for one in shared.values()))

    def _take(self, number: int) -> None:
        """Spare the moves of a layer, one after the other."""
        for n, place in enumerate(self._works[number].places):
            if place is None:
                continue
            part, whole = place.part.index, member_of(place.whole)
            if part in self._never or whole in self._never:
                continue
            before, block = self._works[number], self._block(whole)
            joined = _joined(block, self._block(part), block[whole] + place.offset, part)
            if joined is None or not self._may_share(joined):
                continue
            assert before.rest is not None
            self._works[number] = before.rest(before.taken | {n})
            if self._is_right(joined):
                self._put(joined)
            else:
                self._works[number] = before

    def _block(self, member: Member) -> dict[Member, int]:
        return self._blocks.setdefault(member, {member: 0})

    def _put(self, block: dict[Member, int] | None) -> None:
        assert block is not None
        self._blocks |= dict.fromkeys(block, block)

    def _excluded(self) -> Iterator[int]:
        """Tensors with memory of their own, or none."""
        for value in self._values.values():
            if value.is_variable or value.is_constant or not value.type.bits or not value.nbytes:
                yield value.index
        if self._inputs == "rows":
            yield from (value.index for value in self._network.inputs)
        for number in self._grouped:
            layer = self._network.layers[number]
            yield from (value.index for value in (*layer.present(), *layer.outputs))

    def _may_share(self, block: dict[Member, int]) -> bool:
        """Whether members are aligned, and outputs lie where nothing else may write to them."""
        if block.keys() & self._never:
            return False
        if any(offset % self._alignment(member) for member, offset in block.items()):
            return False
        if not block.keys() & self._wanted:
            return True
        keeps = any(isinstance(member, State) for member in block)
        return not keeps and not (self._inputs == "apart" and block.keys() & self._fed)

    def _alignment(self, member: Member) -> int:
        if isinstance(member, State):
            return member.alignment
        return max(ALIGNMENT, self._values[member].type.bits // 8)

    def _size(self, block: dict[Member, int]) -> int:
        """Bytes, with those that kernels write and read behind tensors."""
        ends = [
            offset + (one.bytes if isinstance(one, State) else self._values[one].nbytes)
            for one, offset in block.items()
        ]
        for layer, work in zip(self._network.layers, self._works, strict=True):
            rooms = [(value, work.room) for value in layer.outputs]
            if work.read_room:
                rooms.append((layer.input(0), work.read_room))
            ends += [
                block[value.index] + value.nbytes + room
                for value, room in rooms
                if value.index in block
            ]
        return max(ends)

    def _is_right(self, block: dict[Member, int]) -> bool:
        kept = self._network.inputs if self._inputs == "kept" else ()
        place = Block(block, self._size(block))
        return plays(self._network, self._works, self._story, place, kept)


def _joined(
    block: dict[Member, int], other: dict[Member, int], place: int, member: Member
) -> dict[Member, int] | None:
    """Two blocks as one in which a member of the other one is at a place; None if it cannot be."""
    if block is other:
        return block if block[member] == place else None
    moved = {one: offset + place - other[member] for one, offset in other.items()}
    least = min([0, *moved.values()])
    return {one: offset - least for one, offset in (block | moved).items()}
