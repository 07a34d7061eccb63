"""Rows of a file that the verifier in C has found to be sound.

What C has found comes back as one list of numbers (:mod:`arenite.formats.flatbuffer.scan`), from
which this makes the rows that :class:`arenite.formats.flatbuffer.reader.Reader` makes. Why a file
is not sound C does not say: the reader in Python looks at it again, which finds the same and has
the words.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from arenite.formats.flatbuffer.file import File
from arenite.formats.flatbuffer.scan import INTEGERS, kind_of, row_width, verifier, width_of
from arenite.formats.flatbuffer.schema import DTYPES, SCALARS, Field, Opaque, Row, Schema, Union
from arenite.formats.flatbuffer.values import Scanned, Tables
from arenite.native import flatbuffer as native

MakeRow = Callable[[list[int], int, File], Row]
"""``make(numbers, place, reader)`` is the table whose numbers begin at a place."""


def rows_of(schema: Schema, reader: File, budget: int) -> tuple[Row, int] | None:
    """The root table's row and what is left of the budget; None where the file is not sound."""
    compiled, make = _compiled(schema)
    found = compiled.scan(reader.bytes, budget)
    return None if found is None else (make(found.numbers().tolist(), 0, reader), found.budget)


def tables_of(schema: Schema, reader: File, budget: int) -> tuple[Tables, int] | None:
    """The same as one table, of which values are made that are asked for."""
    found = _compiled(schema)[0].scan(reader.bytes, budget)
    if found is None:
        return None
    return Tables(Scanned(schema, found, reader), schema.root, 0), found.budget


@cache
def _compiled(schema: Schema) -> tuple[native.Verifier, MakeRow]:
    return verifier(schema), _makers(schema)[schema.root]


def _makers(schema: Schema) -> dict[str, MakeRow]:
    """For every table a function with a line per field, which takes a third of what a loop does."""
    makers: dict[str, Any] = {}
    for name, fields in schema.tables.items():
        names: dict[str, Any] = {"makers": makers}
        taken, items = [], []
        for number, field in enumerate(fields):
            columns = [f"n{number}_{column}" for column in range(width_of(field))]
            taken += columns
            decode = names[f"decode{number}"] = _decoder(schema, field, makers)
            value = columns[0]
            if kind_of(field) == native.BOOL:
                value += " != 0"
            elif decode is not None:
                value = f"decode{number}({', '.join(columns)}, numbers, reader) if {value}"
                value += f" else default{number}"
                names[f"default{number}"] = field.default
            items.append(f"{field.name!r}: {value}")
        first = f"{', '.join(taken)}, = numbers[at : at + {len(taken)}]" if taken else "pass"
        source = f"def make(numbers, at, reader):\n    {first}\n    return {{{', '.join(items)}}}"
        exec(source, names)  # of the names of fields, which stand in the source code
        makers[name] = names["make"]
    return makers


def _decoder(schema: Schema, field: Field, makers: dict[str, Any]) -> Callable[..., Any] | None:
    """``decode(*columns, numbers, reader)`` of what is there; None where that is the number."""
    kind, element = kind_of(field), field.kind.strip("[]")
    if kind in INTEGERS:
        return None
    if kind == native.PLACE:
        unpack = SCALARS[field.kind].unpack_from
        return lambda place, numbers, reader: unpack(reader.data, place)[0]
    if kind == native.TEXT:
        return _text
    if kind == native.TEXTS:
        return _texts
    if kind == native.UNION:
        return _union(schema, field, makers)
    if kind == native.VECTOR:
        return _tuple(element) if field.as_tuple else _array(element)
    if kind == native.TABLE:
        return lambda at, numbers, reader: makers[element](numbers, at, reader)
    return _tables(element, row_width(schema, element), makers)


def _text(start: int, count: int, numbers: list[int], reader: File) -> str:
    return str(reader.data[start : start + count], "utf-8", "replace")


def _texts(at: int, count: int, numbers: list[int], reader: File) -> list[str]:
    places = range(at, at + 2 * count, 2)
    return [_text(numbers[place], numbers[place + 1], numbers, reader) for place in places]


def _tables(name: str, width: int, makers: dict[str, Any]) -> Callable[..., list[Row]]:
    def decode(at: int, count: int, numbers: list[int], reader: File) -> list[Row]:
        make = makers[name]
        if not width:
            return [{} for _ in range(count)]
        return [make(numbers, place, reader) for place in range(at, at + width * count, width)]

    return decode


def _union(schema: Schema, field: Field, makers: dict[str, Any]) -> Callable[..., Union]:
    members = schema.unions[field.kind.removeprefix("union:")]

    def decode(code: int, at: int, is_empty: int, numbers: list[int], reader: File) -> Union:
        if code in members:
            return Union(code, makers[members[code]](numbers, at, reader))
        return Union(code, Opaque(at, is_empty != 0))

    return decode


def _tuple(kind: str) -> Callable[..., tuple[Any, ...]]:
    code = SCALARS[kind].format[1:]
    short = [struct.Struct(f"<{count}{code}").unpack_from for count in range(8)]

    def decode(start: int, count: int, numbers: list[int], reader: File) -> tuple[Any, ...]:
        if count < 8:
            return short[count](reader.data, start)
        return struct.unpack_from(f"<{count}{code}", reader.data, start)

    return decode


def _array(kind: str) -> Callable[..., Any]:
    dtype = DTYPES[kind]
    item = dtype.itemsize

    def decode(start: int, count: int, numbers: list[int], reader: File) -> Any:
        whole = reader.whole(dtype)
        first = start // item
        if whole is not None and first * item == start:
            return whole[first : first + count]
        return reader.array(start, count, dtype)

    return decode if item > 1 or kind != "uint8" else _bytes


def _bytes(start: int, count: int, numbers: list[int], reader: File) -> Any:
    return reader.bytes[start : start + count]
