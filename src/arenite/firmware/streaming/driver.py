"""A group as C: counters of rows, and who goes next.

Of the cases in the loop the first that can go does: they stand in the order of
:attr:`~arenite.firmware.streaming.schedule.Scene.order`, so steps are those of the schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arenite.c_text import fill, indented, templates
from arenite.firmware.network.kernel import Constant, Routine, Scratch
from arenite.firmware.network.layers import Value
from arenite.firmware.streaming.group import Group, Part
from arenite.firmware.streaming.schedule import Read

_C = templates(__name__)

_FILL = "for (int32_t i = 0; i < $bytes; ++i) ($ring)[i] = (uint8_t)($pad);"


@dataclass(frozen=True, eq=False)
class Names:
    """Names and offsets of the program around a group, for its text.

    Attributes:
        routine: The C name of a routine.
        constant: The C name of a constant.
        tensors: Offsets of tensors that are there as a whole, by index.
        block: The offset of the group's memory.
        parameters: Of the driver: an observer, and who delivers rows.
    """

    routine: Callable[[Routine], str]
    constant: Callable[[Constant], str]
    tensors: Mapping[int, int]
    block: int
    parameters: str


def helpers_of(drivers: Sequence[str]) -> list[str]:
    """C of the helper functions that the functions of groups call."""
    needs_room = any("ar_make_room(" in text for text in drivers)
    copies = needs_room or any("ar_copy_rows(" in text for text in drivers)
    return [_C["copy"] + "\n\n"] * copies + [_C["room"] + "\n"] * needs_room


def driver_of(group: Group, name: str, names: Names) -> str:
    """The function of a group."""
    return _Driver(group, names).text(name)


class _Driver:
    """``made3`` is how many rows actor 3 has made, ``from2`` the row that ring 2 begins with."""

    def __init__(self, group: Group, names: Names) -> None:
        self._group, self._names, self._scene = group, names, group.scene
        self._rings = [n for n, store in enumerate(self._scene.stores) if store.is_ring]

    def text(self, name: str) -> str:
        cases = [case for n in self._scene.order for case in self._cases(n)]
        lines = [f"int32_t made{n} = 0;" for n, _ in enumerate(self._scene.actors)]
        lines += [f"int32_t from{n} = {-self._scene.stores[n].top};" for n in self._rings]
        return fill(
            _C["function"],
            first=self._group.first,
            last=self._group.end - 1,
            name=name,
            parameters=self._names.parameters,
            counters="\n".join(lines),
            cases="\n".join(cases),
        )

    # -- who goes

    def _cases(self, number: int) -> Iterator[str]:
        """One for each number of rows that an actor makes at a time, and one for padding below."""
        actor, member = self._scene.actors[number], self._group.members[number]
        title = f"{member.layer.index}: {member.layer}" if member.layer else f"rows of {actor.rows}"
        yield f"/* {title} */"
        for count in reversed(actor.counts):
            conditions = [self._turn(number, count), *self._ready(number, count)]
            body = "\n".join(self._body(number, count))
            yield self._case(number, conditions, body, count)
        end = self._scene.end(number)
        if end > actor.rows:
            turn = f"made{number} >= {actor.rows} && made{number} < {end}"
            yield self._case(number, [turn], "\n".join(self._pad(number)), 1)

    def _case(self, number: int, conditions: list[str], body: str, count: int) -> str:
        return fill(
            _C["case"],
            condition=" && ".join(filter(None, conditions)),
            body=body,
            made=f"made{number}",
            count=count,
        )

    def _turn(self, number: int, count: int) -> str:
        """The steps at which an actor makes so many rows at a time."""
        actor, made = self._scene.actors[number], f"made{number}"
        tail = (actor.rows - actor.lead) % actor.step
        turns = []
        if count == actor.step:
            begin = "" if actor.lead == actor.step else f"{made} > 0 && "
            turns.append(f"{begin}{made} < {actor.rows - count + 1}")
        else:
            if count == actor.lead:
                turns.append(f"{made} == 0")
            if count == tail:
                turns.append(f"{made} == {actor.rows - tail}")
        return turns[0] if len(turns) == 1 else f"({' || '.join(dict.fromkeys(turns))})"

    def _ready(self, number: int, count: int) -> Iterator[str]:
        """Whether the rows are there that so many take."""
        for store, reach in self._scene.actors[number].reads:
            writer = self._scene.writer.get(store)
            if writer is not None:
                row = _line(f"made{number}", reach.stride, reach.end(count - 1))
                yield f"made{writer} >= {row}"
                if reach.end(count - 1) < 1:  # rows above come with the first one
                    yield f"made{writer} > 0"

    def _may_begin(self, number: int, count: int) -> bool:
        return count == self._scene.actors[number].lead

    # -- what is done

    def _body(self, number: int, count: int) -> Iterator[str]:
        actor, member = self._scene.actors[number], self._group.members[number]
        if actor.collects:
            yield from self._collect(number, count)
            return
        yield from self._room(number, count)
        if self._may_begin(number, count):
            yield from self._pad_above(number)
        if member.layer is None:
            yield self._copy(number, count)
            return
        part = member.parts[count]
        if part.work.routine is not None:
            yield self._call(number, part)
        yield self._done(number, count)

    def _room(self, number: int, count: int) -> Iterator[str]:
        store = self._scene.actors[number].writes
        ring, row = self._scene.stores[store], self._group.row_bytes(store)
        if not ring.is_ring:
            return
        rows, made = self._group.schedule.rows[store], f"made{number}"
        if rows == count:
            yield f"from{store} = {made};"
        elif rows < ring.top + ring.rows + ring.bottom:
            first, at = self._first_needed(store), self._at("ring", store)
            yield (
                f"from{store} = ar_make_room({at}, from{store}, {made}, {count}, {rows}, "
                f"{first}, {row});"
            )

    def _pad_above(self, number: int) -> Iterator[str]:
        store = self._scene.actors[number].writes
        ring, row = self._scene.stores[store], self._group.row_bytes(store)
        if ring.top:
            pad = fill(
                _FILL,
                bytes=ring.top * row,
                ring=self._at("ring", store),
                pad=self._group.pads[store],
            )
            yield f"if (made{number} == 0)\n  {pad}"

    def _first_needed(self, store: int) -> str:
        firsts = []
        for reader, reach in self._scene.readers[store]:
            made, rows = f"made{reader}", self._scene.actors[reader].rows
            first = _line(made, reach.stride, -reach.top)
            firsts.append(f"({made} < {rows} ? {first} : {_ALL})")
        text = firsts[-1] if firsts else _ALL
        for first in firsts[:-1]:
            text = f"AR_LESSER({first}, {text})"
        return text

    def _pad(self, number: int) -> Iterator[str]:
        store = self._scene.actors[number].writes
        yield from self._room(number, 1)
        ring = self._row(store, f"made{number}")
        yield fill(
            _FILL, bytes=self._group.row_bytes(store), ring=ring, pad=self._group.pads[store]
        )

    def _copy(self, number: int, count: int) -> str:
        """Rows of a tensor that is there, or from outside."""
        member, store = self._group.members[number], self._scene.actors[number].writes
        made, row = f"made{number}", self._group.row_bytes(store)
        to = self._row(store, made)
        if member.source is None:
            places = ((_line(made, 1, i), i * row) for i in range(count))
            return "\n".join(f"rows(rows_user, {n}, {to} + {at});" for n, at in places)
        return f"ar_copy_rows({to}, {self._row(member.source, made)}, {count * row});"

    def _collect(self, number: int, count: int) -> Iterator[str]:
        actor, member = self._scene.actors[number], self._group.members[number]
        one, sums = member.collections[count], self._at("sums", number, "int32_t")
        ((store, _),) = actor.reads
        made = f"made{number}"
        yield f"if ({made} == 0)"
        yield f"  for (int32_t i = 0; i < {one.sum_bytes // 4}; ++i) ({sums})[i] = 0;"
        x = f"(const int8_t *)(const void *)({self._row(store, made)})"
        yield f"{self._names.routine(one.add)}({x}, {sums});"
        y = self._at_offset(self._names.tensors[self._group.values[actor.writes].index], "int8_t")
        yield f"if ({made} == {actor.rows - count}) {{"
        yield f"  {self._names.routine(one.finish)}({sums}, {y});"
        yield indented(self._done(number, 1, first="0"))
        yield "}"

    def _call(self, number: int, part: Part) -> str:
        routine, scratch, arguments = part.work.routine, 0, []
        assert routine is not None
        for argument, declaration in zip(part.work.arguments, routine.parameters, strict=True):
            kind = declaration[: declaration.rindex("*")].strip()
            if isinstance(argument, Constant):
                arguments.append(self._names.constant(argument))
            elif isinstance(argument, Scratch):
                at = self._group.places["scratch", number] + scratch
                arguments.append(self._at_offset(self._names.block + at, kind))
                scratch += -(-argument.bytes // 4) * 4
            elif isinstance(argument, Value):
                arguments.append(f"({kind} *)(void *)({self._place(number, argument)})")
        return f"{self._names.routine(routine)}({', '.join(arguments)});"

    def _place(self, number: int, value: Value) -> str:
        """Where an actor's next rows of a tensor are."""
        actor = self._scene.actors[number]
        if value.index == self._group.values[actor.writes].index:
            return self._row(actor.writes, f"made{number}")
        read = next(r for r in actor.reads if self._group.values[r.store].index == value.index)
        return self._window(number, read)

    def _window(self, number: int, read: Read) -> str:
        return self._row(read.store, _line(f"made{number}", read.reach.stride, -read.reach.top))

    def _done(self, number: int, count: int, first: str = "") -> str:
        actor, member = self._scene.actors[number], self._group.members[number]
        assert member.layer is not None
        size = count * self._group.row_bytes(actor.writes)
        at = self._row(actor.writes, first or f"made{number}")
        return f'TOLD({member.layer.index}, "{member.layer.name}", {at}, {size});'

    # -- places

    def _row(self, store: int, row: str) -> str:
        """A row of a store."""
        size = self._group.row_bytes(store)
        if not self._scene.stores[store].is_ring:
            place = self._names.tensors[self._group.values[store].index]
            return f"arena + {place} + ({row}) * {size}"
        place = self._names.block + self._group.places["ring", store]
        return f"arena + {place} + ({row} - from{store}) * {size}"

    def _at(self, kind: str, number: int, type_: str = "uint8_t") -> str:
        return self._at_offset(self._names.block + self._group.places[kind, number], type_)

    @staticmethod
    def _at_offset(offset: int, type_: str) -> str:
        return f"AT({type_}, {offset})"


#: A row behind all.
_ALL = "INT32_MAX"


def _line(row: str, factor: int, more: int) -> str:
    """``row * factor + more``."""
    text = row if factor == 1 else f"{row} * {factor}"
    return f"{text} + {more}" if more > 0 else f"{text} - {-more}" if more else text
