"""Schemas as C is told of them: arrays of numbers (``csrc/include/flatbuffer.h``).

What C has found comes back as one list of numbers: a table's row has so many of each field.
"""

from __future__ import annotations

from functools import cache

from arenite.formats.flatbuffer.layout import MAX_DEPTH, TABLE_COST
from arenite.formats.flatbuffer.schema import SCALARS, Field, Schema
from arenite.native import flatbuffer as native

_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32")
_REALS = ("float32", "float64")
INTEGERS = (native.BOOL, native.SIGNED, native.UNSIGNED)
_COLUMNS = dict.fromkeys((native.TEXT, native.VECTOR, native.TEXTS, native.TABLES), 2)
_COLUMNS[native.UNION] = 3


def verifier(schema: Schema, first: int = 0) -> native.Verifier:
    """Verifier of files of a schema, or of tables that another one lacks.

    ``first`` is then the root's number, behind those of the other schemas' tables.
    """
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
    limits = {"max_depth": MAX_DEPTH, "table_cost": TABLE_COST}
    return native.Verifier(tables, fields, members, **limits, first=first)


def _described(field: Field, table: int, members: int) -> tuple[int, ...]:
    kind = kind_of(field)
    element = field.kind.strip("[]")
    item = SCALARS[element].size if element in SCALARS else 4
    fallback = int(field.default) if kind in INTEGERS else 0
    return field.id, kind, item, table, members, field.required, fallback


def kind_of(field: Field) -> int:
    """The ``ar_fb_kind`` of a field."""
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
    """The count of numbers that a row has of a field."""
    return _COLUMNS.get(kind_of(field), 1)


@cache
def row_width(schema: Schema, name: str) -> int:
    """The count of numbers of a table's row."""
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
    """C's part for a field, or for a union's number, and its ``item`` (``fb_objects.h``)."""
    kind, element = kind_of(field), field.kind.strip("[]")
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
