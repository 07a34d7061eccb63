"""Tables as the reader in Python has them: what a schema says of them, and a vtable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from struct import Struct
from typing import Any, NamedTuple

from arenite.formats.flatbuffer.schema import SCALARS, Field, FormatError, Row, Schema

#: Tables may lie so deep in one another.
MAX_DEPTH = 64
#: The least that a visited table costs. The smallest one takes 4 bytes and the offset to it
#: 4 more, which together allow for 3 * 8 = 20 + 4 bytes of budget.
TABLE_COST = 20


Decoder = Callable[[Any, int, int], Any]
"""``decode(reader, position, depth)`` reads what a table or vector has at ``position``."""
Step = tuple[str, Decoder, int]
"""A field that a table has: its name, how to read it, its offset in the table."""
Scalar = tuple[str, str, int]
"""The same for a scalar, which only has to be unpacked: its name, its kind, its offset."""
Unpack = Callable[[memoryview, int], tuple[Any, ...]]


class Slot(NamedTuple):
    """A field, compiled: ``size`` is what it takes inside its table."""

    field: Field
    size: int
    decode: Decoder


class TableLayout:
    """A table, compiled."""

    def __init__(self, schema: Schema, slots: tuple[Slot, ...], defaults: Row) -> None:
        self.schema = schema
        self.slots = slots
        self.defaults = defaults


class Plan(NamedTuple):
    """Contents of tables with a certain vtable.

    ``unpack(file, position)`` gives the values of all ``scalars`` of a table; ``cost`` is what a
    visit takes of the budget.
    """

    size: int
    vtable_size: int
    scalars: tuple[str, ...]
    unpack: Unpack
    steps: tuple[Step, ...]
    cost: int
    empty: bool


def unpacking(scalars: Sequence[Scalar]) -> tuple[tuple[str, ...], Unpack]:
    """The names of a table's scalars, and what gives their values in that order, at one stroke."""
    ordered = sorted(scalars, key=itemgetter(2))
    names = tuple(name for name, _, _ in ordered)
    code, end = "<", 0
    for _, kind, offset in ordered:
        if offset < end:  # over another one, which no writer does
            return names, _one_by_one(ordered)
        code += f"{offset - end}x{SCALARS[kind].format[1:]}"
        end = offset + SCALARS[kind].size
    return names, Struct(code).unpack_from


def _one_by_one(scalars: Sequence[Scalar]) -> Unpack:
    places = [(SCALARS[kind].unpack_from, offset) for _, kind, offset in scalars]
    return lambda data, position: tuple(take(data, position + at)[0] for take, at in places)


def inside(field: Field, number: int, offsets: Sequence[int], item: int, size: int) -> int:
    """The offset of a field in its table of ``size`` bytes, 0 if the table lacks it."""
    offset = offsets[number] if number < len(offsets) else 0
    if offset and (offset < 4 or offset + item > size):
        raise FormatError(
            f"expected a field inside its table of {size} bytes, got offset {offset}",
            4 + 2 * number,
            f".{field.name}",
        )
    return offset
