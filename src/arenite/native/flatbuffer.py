"""The verifier of FlatBuffers in C, see ``csrc/include/flatbuffer.h``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arenite.native import _engine

ffi, lib = _engine.ffi, _engine.lib

BOOL, SIGNED, UNSIGNED, PLACE = (
    lib.AR_FB_BOOL,
    lib.AR_FB_SIGNED,
    lib.AR_FB_UNSIGNED,
    lib.AR_FB_PLACE,
)
TEXT, VECTOR, TEXTS = lib.AR_FB_TEXT, lib.AR_FB_VECTOR, lib.AR_FB_TEXTS
TABLE, TABLES, UNION = lib.AR_FB_TABLE, lib.AR_FB_TABLES, lib.AR_FB_UNION

#: So many numbers of rows have room at first, and so many kinds of tables.
_ROOM, _KNOWN = 1 << 13, 1 << 10


class Verifier:
    """A schema as C has it.

    Args:
        tables: First field, number of fields and width of the rows of each table, the root first.
        fields: The values of an ``ar_fb_field`` each.
        members: Type codes of unions and their tables.
        max_depth: How many tables may be nested in the root.
        table_cost: The least that a visited table takes of the budget.
    """

    def __init__(
        self,
        tables: Sequence[tuple[int, int, int]],
        fields: Sequence[tuple[int, ...]],
        members: Sequence[tuple[int, int]],
        *,
        max_depth: int,
        table_cost: int,
    ) -> None:
        arrays = (
            ffi.new("ar_fb_table[]", tables),
            ffi.new("ar_fb_field[]", fields),
            ffi.new("ar_fb_member[]", members or 1),
        )
        self._schema = ffi.new("ar_fb_schema *", (*arrays, max_depth, table_cost))
        self._keep = arrays

    def scan(self, data: Any, budget: int) -> tuple[list[int], int] | None:
        """All tables of a sound file as numbers, and what is left of the budget.

        The numbers are those of ``ar_fb_kind``, the root table's first. None where something is
        wrong, or where that cannot be told.
        """
        buffer = ffi.from_buffer("uint8_t[]", data)
        scan = ffi.new("ar_fb_scan *")
        scan.data, scan.size = buffer, len(buffer)
        wanted = _ROOM
        while True:
            room, known = np.empty(wanted, np.int64), ffi.new("ar_fb_known[]", _KNOWN)
            scan.budget, scan.used = budget, 0
            scan.room, scan.room_count = ffi.from_buffer("int64_t[]", room), wanted
            scan.known, scan.known_count = known, _KNOWN
            if not lib.ar_fb_verify(self._schema, scan):
                return None
            if scan.used <= wanted:
                return room[: scan.used].tolist(), scan.budget
            wanted = scan.used
