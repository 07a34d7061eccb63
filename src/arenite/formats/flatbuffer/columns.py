"""Tables of one kind by column: what many tables have of a field, as one list.

A model has hundreds of tables of few kinds. Of each field of theirs C has left a column of numbers
(:mod:`arenite.formats.flatbuffer.scan`), from which this makes a list of values, and only of the
fields that are asked for: no row of any table is made. Where there is no C, columns come from rows.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from arenite.formats.flatbuffer.schema import DTYPES, SCALARS, Field, Row, Schema

if TYPE_CHECKING:
    from arenite.formats.flatbuffer.reader import Reader

Column = list[Any]
Numbers = list[int]
Decode = Callable[[list[Numbers], Numbers, "Reader"], Column]
"""``decode(columns, numbers, reader)``: a field's values from the columns that C has left of it."""

#: Vectors of so many numbers have a format of their own that is made once.
_SHORT = 16


class Tables:
    """Tables of one kind, by the places of their rows in the numbers that C has found."""

    def __init__(
        self, schema: Schema, kind: str, numbers: Numbers, places: range | Numbers, reader: Reader
    ) -> None:
        self._schema = schema
        self._fields = _fields(schema, kind)
        self._numbers = numbers
        self._places = places
        self._reader = reader

    def __len__(self) -> int:
        return len(self._places)

    def column(self, name: str) -> Column:
        """What every table has of a field.

        ``"child.name"`` is a field of the table in a field, None where there is no such table.
        """
        name, _, inner = name.partition(".")
        field = self._fields[name]
        if inner:
            return self._inside(field, inner)
        taken = [self._taken(field.first + number) for number in range(field.width)]
        if field.decode is None:
            return [value != 0 for value in taken[0]] if field.kind == "bool" else taken[0]
        if not any(taken[0]):  # it is nowhere, as most fields are
            return [field.default] * len(self)
        return field.decode(taken, self._numbers, self._reader)

    def _inside(self, field: _Field, name: str) -> Column:
        places = self._taken(field.first)
        present = list(filter(None, places))
        below = Tables(self._schema, field.kind, self._numbers, present, self._reader)
        values = below.column(name)
        if len(present) == len(places):
            return values
        rest = iter(values)
        return [next(rest) if place else None for place in places]

    def _taken(self, column: int) -> Numbers:
        numbers, places = self._numbers, self._places
        if isinstance(places, range):
            return numbers[places.start + column : places.stop : places.step]
        return [numbers[place + column] for place in places]


def columns_of(tables: Tables | Sequence[Row] | None, *names: str) -> list[Column]:
    """A column for every name, of what :meth:`Reader.tables` gave: see :meth:`Tables.column`."""
    if isinstance(tables, Tables):
        return [tables.column(name) for name in names]
    return [[_value(row, name) for row in tables or ()] for name in names]


def _value(row: Row, name: str) -> Any:
    value: Any = row
    for part in name.split("."):
        value = None if value is None else value[part]
    return value


# -- fields -----------------------------------------------------------------------------


class _Field(NamedTuple):
    """A field: where its numbers are in a row, and what they mean (None: the value itself)."""

    kind: str
    first: int
    width: int
    decode: Decode | None
    default: Any


@cache
def _fields(schema: Schema, kind: str) -> dict[str, _Field]:
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine

    found, first = {}, 0
    for field in schema.tables[kind]:
        width = scan.width_of(field)
        decode = _decoder(schema, field)
        found[field.name] = _Field(field.kind, first, width, decode, field.default)
        first += width
    return found


def _decoder(schema: Schema, field: Field) -> Decode | None:
    """How to make a column of values."""
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - as above

    kind, element = field.kind, field.kind.strip("[]")
    if kind == "string":
        return _texts
    if kind.startswith("[") and element in schema.tables:
        return _vectors_of_tables(schema, element, scan.row_width(schema, element))
    if kind.startswith("[") and element in SCALARS:
        return _tuples(element) if field.as_tuple else _arrays(element)
    one = scan.decoder_of(schema, field)
    if one is None:
        return None
    default = field.default

    def decode(columns: list[Numbers], numbers: Numbers, reader: Reader) -> Column:
        return [
            one(*values, numbers, reader) if values[0] else default
            for values in zip(*columns, strict=True)
        ]

    return decode


def _texts(columns: list[Numbers], numbers: Numbers, reader: Reader) -> Column:
    data = reader.data
    return [
        str(data[start : start + count], "utf-8", "replace") if start else None
        for start, count in zip(*columns, strict=True)
    ]


def _vectors_of_tables(schema: Schema, kind: str, width: int) -> Decode:
    step = max(width, 1)

    def decode(columns: list[Numbers], numbers: Numbers, reader: Reader) -> Column:
        return [
            Tables(schema, kind, numbers, range(at, at + step * count, step), reader)
            if at
            else None
            for at, count in zip(*columns, strict=True)
        ]

    return decode


def _tuples(kind: str) -> Decode:
    code = SCALARS[kind].format[1:]
    short = [struct.Struct(f"<{count}{code}").unpack_from for count in range(_SHORT)]

    def decode(columns: list[Numbers], numbers: Numbers, reader: Reader) -> Column:
        data = reader.data
        return [
            (
                short[count](data, start)
                if count < _SHORT
                else struct.unpack_from(f"<{count}{code}", data, start)
            )
            if start
            else None
            for start, count in zip(*columns, strict=True)
        ]

    return decode


def _arrays(kind: str) -> Decode:
    dtype = DTYPES[kind]
    item = dtype.itemsize

    def decode(columns: list[Numbers], numbers: Numbers, reader: Reader) -> Column:
        whole = reader.whole(dtype)
        pairs = zip(*columns, strict=True)
        if whole is None or any(start % item for start in columns[0]):
            return [reader.array(*pair, dtype) if pair[0] else None for pair in pairs]
        return [
            whole[start // item : start // item + count] if start else None
            for start, count in pairs
        ]

    return decode
