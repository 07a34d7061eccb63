"""Where in a file a path leads, for messages about the meaning of what was read."""

from __future__ import annotations

import re
import struct

from arenite.formats.flatbuffer.schema import SCALARS, Schema

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def locate(schema: Schema, data: memoryview, path: str) -> int:
    """Byte offset of what ``path`` names, or of the last thing on the way that exists.

    ``data`` has been read with the same schema without an error. A scalar's place is its
    own, that of a table is its start, that of a vector or string is its length word.
    """
    position = struct.unpack_from("<I", data, 0)[0]
    kind = schema.root
    for name, index in _STEP.findall(path):
        if name:
            found = _field(schema, data, position, kind, name)
        else:
            found = _element(data, position, kind, int(index))
        if found is None:
            break
        position, kind = found
    return int(position)


def _field(
    schema: Schema, data: memoryview, position: int, kind: str, name: str
) -> tuple[int, str] | None:
    for field in schema.tables.get(kind, ()):
        if field.name != name:
            continue
        vtable = position - struct.unpack_from("<i", data, position)[0]
        size = struct.unpack_from("<H", data, vtable)[0]
        entry = 4 + 2 * field.id
        offset = struct.unpack_from("<H", data, vtable + entry)[0] if entry < size else 0
        return _target(data, position + offset, field.kind) if offset else None
    return None


def _element(data: memoryview, position: int, kind: str, index: int) -> tuple[int, str] | None:
    if not kind.startswith("[") or index >= struct.unpack_from("<I", data, position)[0]:
        return None
    element = kind[1:-1]
    item = SCALARS[element].size if element in SCALARS else 4
    return _target(data, position + 4 + index * item, element)


def _target(data: memoryview, place: int, kind: str) -> tuple[int, str]:
    if kind in SCALARS:
        return place, kind
    return place + struct.unpack_from("<I", data, place)[0], kind
