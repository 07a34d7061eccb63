"""A bounds-checked FlatBuffer layer that is driven by a declarative schema.

``read`` verifies a file and turns it into plain rows (dicts); ``write`` turns the same
rows into a file; ``locate`` says where in the file a path such as
``$.subgraphs[0].operators[3]`` is. Facts about the encoding: FlatBuffers
``internals.md`` and ``verifier.h``.
"""

from arenite.formats.flatbuffer.file import view_of
from arenite.formats.flatbuffer.layout import TableLayout
from arenite.formats.flatbuffer.locate import locate
from arenite.formats.flatbuffer.reader import Reader, layout_of, read
from arenite.formats.flatbuffer.schema import (
    Field,
    FormatError,
    Opaque,
    Row,
    Schema,
    Union,
)
from arenite.formats.flatbuffer.values import Part, Record, Tables, opaque, values_of
from arenite.formats.flatbuffer.writer import write

__all__ = [
    "Field",
    "FormatError",
    "Opaque",
    "Part",
    "Reader",
    "Record",
    "Row",
    "Schema",
    "TableLayout",
    "Tables",
    "Union",
    "layout_of",
    "locate",
    "opaque",
    "read",
    "values_of",
    "view_of",
    "write",
]
