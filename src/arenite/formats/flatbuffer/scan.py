"""Rows of a file that the verifier in C has found to be sound.

The schema is told to C as arrays of numbers (``csrc/include/flatbuffer.h``), and what C has found
comes back as one list of numbers, from which this makes the rows that
:class:`arenite.formats.flatbuffer.reader.Reader` makes. Why a file is not sound C does not say:
the reader in Python looks at it again, which finds the same and has the words.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from arenite.formats.flatbuffer.schema import DTYPES, SCALARS, Field, Opaque, Row, Schema, Union
from arenite.formats.flatbuffer.values import Scanned, Tables
from arenite.native import flatbuffer as native

if TYPE_CHECKING:
    from arenite.formats.flatbuffer.reader import Reader

MakeRow = Callable[[list[int], int, "Reader"], Row]
"""``make(numbers, place, reader)`` is the table whose numbers begin at a place."""

_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32")
_REALS = ("float32", "float64")
_INTEGERS = (native.BOOL, native.SIGNED, native.UNSIGNED)
_COLUMNS = dict.fromkeys((native.TEXT, native.VECTOR, native.TEXTS, native.TABLES), 2)
_COLUMNS[native.UNION] = 3


def rows_of(schema: Schema, reader: Reader, budget: int) -> tuple[Row, int] | None:
    """The root table's row and what is left of the budget; None where the file is not sound."""
    compiled, make = _compiled(schema)
    found = compiled.scan(reader.bytes, budget)
    return None if found is None else (make(found.numbers().tolist(), 0, reader), found.budget)


def tables_of(schema: Schema, reader: Reader, budget: int) -> tuple[Tables, int] | None:
    """The same as one table, of which values are made that are asked for."""
    found = _compiled(schema)[0].scan(reader.bytes, budget)
    if found is None:
        return None
    return Tables(Scanned(schema, found, reader), schema.root, 0), found.budget


# -- what C is told -----------------------------------------------------------------------


@cache
def _compiled(schema: Schema) -> tuple[native.Verifier, MakeRow]:
    return verifier(schema), _makers(schema)[schema.root]


def verifier(schema: Schema, first: int = 0) -> native.Verifier:
    """What verifies files of a schema, or tables that another one lacks.

    ``first`` is then the root's number, behind those of the other schemas' tables.
    """
    from arenite.formats.flatbuffer import reader  # noqa: PLC0415 - which imports this

    names = [schema.root, *(name for name in schema.tables if name != schema.root)]
    fields: list[tuple[int, ...]] = []
    tables: list[tuple[int, int, int]] = []
    members: list[tuple[int, int]] = []
    for name in names:
        known = schema.tables[name]
        tables.append((len(fields), len(known), row_width(schema, name)))
        for field in known:
            union = schema.unions.get(field.kind.removeprefix("union:"), {})
            element = field.kind.strip("[]")
            table = len(members) if union else names.index(element) if element in names else 0
            fields.append(_described(field, table, len(union)))
            members += [(code, names.index(member)) for code, member in union.items()]
    limits = {"max_depth": reader.MAX_DEPTH, "table_cost": reader.TABLE_COST}
    return native.Verifier(tables, fields, members, **limits, first=first)


def _described(field: Field, table: int, members: int) -> tuple[int, ...]:
    kind = _kind(field)
    element = field.kind.strip("[]")
    item = SCALARS[element].size if element in SCALARS else 4
    fallback = int(field.default) if kind in _INTEGERS else 0
    return field.id, kind, item, table, members, field.required, fallback


def _kind(field: Field) -> int:
    kind, element = field.kind, field.kind.strip("[]")
    if kind.startswith("["):
        texts = native.TEXTS if element == "string" else native.TABLES
        return int(native.VECTOR if element in SCALARS else texts)
    if kind.startswith("union:"):
        return int(native.UNION)
    if kind in SCALARS:
        kinds = dict.fromkeys(_SIGNED, native.SIGNED) | dict.fromkeys(_UNSIGNED, native.UNSIGNED)
        return int({"bool": native.BOOL, **kinds}.get(kind, native.PLACE))
    return int(native.TEXT if kind == "string" else native.TABLE)


def width_of(field: Field) -> int:
    """How many numbers a row has of a field."""
    return _COLUMNS.get(_kind(field), 1)


@cache
def row_width(schema: Schema, name: str) -> int:
    """How many numbers a table's row has."""
    return sum(map(width_of, schema.tables[name]))


# -- single fields, see :mod:`arenite.formats.flatbuffer.values` ----------------------------

_PARTS = {native.BOOL: native.TRUTH, native.SIGNED: native.INTEGER, native.UNSIGNED: native.INTEGER}


@cache
def place_of(schema: Schema, table: str, name: str) -> tuple[Field, int]:
    """A field, and at which number of its table's row it begins."""
    column = 0
    for field in schema.tables[table]:
        if field.name == name:
            return field, column
        column += width_of(field)
    raise KeyError(f"{table} has no field {name}")


def part_of(schema: Schema, field: Field, number: int) -> tuple[int, int]:
    """What C makes of a field, or of a union's number, and the ``item`` of that (``rows.h``)."""
    kind, element = _kind(field), field.kind.strip("[]")
    if kind == native.UNION and not schema.unions[field.kind.removeprefix("union:")]:
        return (native.TRUTH if number == 2 else native.INTEGER), 0
    if kind in _PARTS:
        return _PARTS[kind], 0
    if kind == native.TEXT:
        return native.TEXT_OF_IT, 0
    if kind == native.VECTOR and field.as_tuple and element in ("bool", *_SIGNED):
        return native.TRUTHS if element == "bool" else native.INTEGERS, SCALARS[element].size
    if kind == native.VECTOR and not field.as_tuple:
        return native.SLICE, SCALARS[element].size
    if field.kind in _REALS:
        return native.REAL, SCALARS[field.kind].size
    if kind in (native.PLACE, native.TABLE, native.TABLES):
        return native.DECODED, width_of(field)
    raise KeyError(f"there is no part for {field.name} of kind {field.kind}")


# -- from numbers to rows -----------------------------------------------------------------


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
            if _kind(field) == native.BOOL:
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
    kind, element = _kind(field), field.kind.strip("[]")
    if kind in _INTEGERS:
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


def _text(start: int, count: int, numbers: list[int], reader: Reader) -> str:
    return str(reader.data[start : start + count], "utf-8", "replace")


def _texts(at: int, count: int, numbers: list[int], reader: Reader) -> list[str]:
    places = range(at, at + 2 * count, 2)
    return [_text(numbers[place], numbers[place + 1], numbers, reader) for place in places]


def _tables(name: str, width: int, makers: dict[str, Any]) -> Callable[..., list[Row]]:
    def decode(at: int, count: int, numbers: list[int], reader: Reader) -> list[Row]:
        make = makers[name]
        if not width:
            return [{} for _ in range(count)]
        return [make(numbers, place, reader) for place in range(at, at + width * count, width)]

    return decode


def _union(schema: Schema, field: Field, makers: dict[str, Any]) -> Callable[..., Union]:
    members = schema.unions[field.kind.removeprefix("union:")]

    def decode(code: int, at: int, is_empty: int, numbers: list[int], reader: Reader) -> Union:
        if code in members:
            return Union(code, makers[members[code]](numbers, at, reader))
        return Union(code, Opaque(at, is_empty != 0))

    return decode


def _tuple(kind: str) -> Callable[..., tuple[Any, ...]]:
    code = SCALARS[kind].format[1:]
    short = [struct.Struct(f"<{count}{code}").unpack_from for count in range(8)]

    def decode(start: int, count: int, numbers: list[int], reader: Reader) -> tuple[Any, ...]:
        if count < 8:
            return short[count](reader.data, start)
        return struct.unpack_from(f"<{count}{code}", reader.data, start)

    return decode


def _array(kind: str) -> Callable[..., Any]:
    dtype = DTYPES[kind]
    item = dtype.itemsize

    def decode(start: int, count: int, numbers: list[int], reader: Reader) -> Any:
        whole = reader.whole(dtype)
        first = start // item
        if whole is not None and first * item == start:
            return whole[first : first + count]
        return reader.array(start, count, dtype)

    return decode if item > 1 or kind != "uint8" else _bytes


def _bytes(start: int, count: int, numbers: list[int], reader: Reader) -> Any:
    return reader.bytes[start : start + count]
