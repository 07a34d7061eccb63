"""Files as rows that can be changed and written again, options of operators included."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from arenite import ops
from arenite.formats import flatbuffer
from arenite.formats.flatbuffer import Field, Opaque, Reader, Row, Schema, Union, layout_of
from arenite.formats.tflite_schema import SCHEMA
from arenite.formats.tflite_write import options_fields
from arenite.mnn.lowering import models
from arenite.model import BuiltinOperator
from arenite.ops import builtin_names


class Place(NamedTuple):
    """A field in a row: ``row[name]`` holds a value of ``kind``."""

    row: Row
    name: str
    kind: str


def schema_of(data: bytes) -> Schema:
    """The schema of a sound file."""
    return SCHEMA if data[4:8] == SCHEMA.identifier else models.SCHEMA


def rows_of(data: bytes) -> Row:
    """A sound file's root row; a union whose table is not known is left out."""
    schema = schema_of(data)
    reader = Reader(schema, memoryview(data))
    root = reader.root()
    if schema is SCHEMA:
        for operator in operators(root):
            operator["builtin_options"] = _options(reader, operator["builtin_options"])
    return _without_opaque(root)


def write(schema: Schema, root: Row) -> bytes:
    """The file that a row describes.

    Raises:
        ModelError: A value does not fit its field.
    """
    return flatbuffer.write(schema, root)


def copied(value: Any) -> Any:
    """A row whose parts can be changed; arrays and tuples are shared, as nobody writes them."""
    if isinstance(value, dict):
        return {name: copied(part) for name, part in value.items()}
    if isinstance(value, list):
        return [copied(part) for part in value]
    if isinstance(value, Union):
        return value._replace(value=copied(value.value))
    return value


def places(schema: Schema, row: Row, table: str | None = None) -> Iterator[Place]:
    """Every field of a row and of all that is below it."""
    return _places(schema, row, schema.tables[table or schema.root])


def operators(root: Row) -> Iterator[Row]:
    """The operators of all subgraphs of a ``.tflite`` file."""
    for subgraph in root["subgraphs"] or []:
        yield from subgraph["operators"] or []


def code_index(root: Row, name: str) -> int:
    """The index of an operator's code, which is added where there is none."""
    codes = root["operator_codes"] = root["operator_codes"] or []
    for index, code in enumerate(codes):
        if name_of(code) == name:
            return index
    custom = name not in BuiltinOperator.__members__
    number = int(BuiltinOperator.CUSTOM if custom else BuiltinOperator[name])
    codes.append(
        {
            "deprecated_builtin_code": min(number, 127),
            "custom_code": name if custom else None,
            "version": 1,
            "builtin_code": number,
        }
    )
    return len(codes) - 1


def options_union(name: str, **values: Any) -> Union | None:
    """Options of an operator of TensorFlow Lite, its defaults where nothing else is said."""
    registration = ops.builtin(name)
    row = None if registration is None else registration.options
    if row is None or not row.UNION_TYPE:
        return None
    fields = options_fields(row)
    return Union(row.UNION_TYPE, {f.name: f.default for f in fields} | values, fields)


def name_of(code: Row) -> str:
    """The name of an operator code; custom ones have their own."""
    number = max(code["deprecated_builtin_code"], code["builtin_code"])
    if number == BuiltinOperator.CUSTOM:
        return str(code["custom_code"])
    known = number in BuiltinOperator._value2member_map_
    return BuiltinOperator(number).name if known else ""


def _places(schema: Schema, row: Row, fields: tuple[Field, ...]) -> Iterator[Place]:
    for field in fields:
        kind, value = field.kind, row.get(field.name)
        yield Place(row, field.name, kind)
        if isinstance(value, Union):
            members = schema.unions.get(kind.removeprefix("union:"), {})
            below = value.fields or schema.tables.get(members.get(value.type, ""), ())
            yield from _places(schema, value.value, below)
        elif isinstance(value, dict):
            yield from _places(schema, value, schema.tables[kind])
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for part in value:
                yield from _places(schema, part, schema.tables[kind[1:-1]])


def _options(reader: Reader, union: Union | None) -> Union | None:
    if union is None or union.type not in _ROWS:
        return None
    assert isinstance(union.value, Opaque)
    fields = _ROWS[union.type]
    row = reader.table(union.value.position, layout_of(SCHEMA, fields), "$")
    return Union(union.type, row, fields)


def _without_opaque(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_opaque(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_opaque(part) for part in value]
    if isinstance(value, Union):
        if isinstance(value.value, Opaque):
            return None
        return value._replace(value=_without_opaque(value.value))
    return value


def _known_rows() -> dict[int, tuple[Field, ...]]:
    rows = [ops.builtin(name).options for name in builtin_names()]
    return {row.UNION_TYPE: options_fields(row) for row in rows if row is not None}


_ROWS = _known_rows()
"""Fields of options by the type of the union."""
