"""A small schema, and hand-made files of it: for what a real writer would never write."""

import struct
from collections.abc import Sequence

from arenite.formats.flatbuffer import Field, Schema

ZOO = Schema(
    name="Zoo",
    root="Zoo",
    identifier=b"ZOO1",
    tables={
        "Zoo": (
            Field("visitors", 0, "int32", 7),
            Field("name", 1, "string"),
            Field("animals", 2, "[Animal]"),
            Field("sizes", 3, "[int16]"),
            Field("names", 4, "[string]"),
            Field("keeper", 6, "union:Keeper"),
            Field("first", 7, "Animal"),
            Field("open", 8, "bool", True),
            Field("raw", 9, "[uint8]", align=16),
        ),
        "Animal": (
            Field("legs", 0, "uint8", 4),
            Field("mother", 1, "Animal"),
            Field("father", 2, "Animal"),
            Field("weight", 3, "float32", 1.5),
        ),
        "Person": (Field("name", 0, "string", required=True),),
    },
    unions={"Keeper": {1: "Person"}},
)

VTABLE = 8
"""Where the root table's vtable is in :func:`zoo`."""
ROOT = 32
"""Where the root table is in :func:`zoo`: behind a vtable of 10 slots."""


def u16(*values: int) -> bytes:
    """Little-endian 16-bit words."""
    return struct.pack(f"<{len(values)}H", *values)


def u32(*values: int) -> bytes:
    """Little-endian 32-bit words; negative ones wrap."""
    return struct.pack(f"<{len(values)}I", *(value % 2**32 for value in values))


def zoo(
    fields: dict[int, int],
    body: bytes,
    *,
    size: int | None = None,
    vtable_size: int = 24,
    soffset: int = ROOT - VTABLE,
) -> bytes:
    """A file whose root table has ``fields`` (slot -> offset in the table) and ``body``.

    The body starts behind the table's 4-byte header, that is at byte ``ROOT + 4``. It may
    go on behind the table, whose size in bytes is ``size`` (default: all of the body).
    """
    offsets = [fields.get(slot, 0) for slot in range(10)]
    size = 4 + len(body) if size is None else size
    return u32(ROOT) + b"ZOO1" + u16(vtable_size, size, *offsets) + u32(soffset) + body


def animals(count: int, parents: Sequence[int]) -> bytes:
    """``count`` animals behind one vtable of 12 bytes, and one more that has no parents.

    Each has the next one as its parents: ``parents`` are the slots, 1 and 2.
    """
    offsets = [4 * slot if slot in parents else 0 for slot in (1, 2)]
    tables = b""
    for number in range(count):
        # The last animal has a vtable of 4 bytes before it.
        next_one = 8 if number + 1 < count else 12
        tables += u32(12 + 12 * number, next_one, next_one - 4)
    return u16(12, 12, 0, *offsets, 0) + tables + u16(4, 4) + u32(4)
