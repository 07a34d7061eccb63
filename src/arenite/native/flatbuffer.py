"""The verifier of FlatBuffers in C, see ``csrc/include/flatbuffer.h``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import extension, ffi, lib

BOOL, SIGNED, UNSIGNED, PLACE = (
    lib.AR_FB_BOOL,
    lib.AR_FB_SIGNED,
    lib.AR_FB_UNSIGNED,
    lib.AR_FB_PLACE,
)
TEXT, VECTOR, TEXTS = lib.AR_FB_TEXT, lib.AR_FB_VECTOR, lib.AR_FB_TEXTS
TABLE, TABLES, UNION = lib.AR_FB_TABLE, lib.AR_FB_TABLES, lib.AR_FB_UNION
INTEGER, TRUTH, TEXT_OF_IT = lib.AR_ROW_INTEGER, lib.AR_ROW_TRUTH, lib.AR_ROW_TEXT
INTEGERS, TRUTHS = lib.AR_ROW_INTEGERS, lib.AR_ROW_TRUTHS
SLICE, DECODED = lib.AR_ROW_SLICE, lib.AR_ROW_DECODED

if not lib.ar_add_rows():
    raise ImportError("the native engine has no way to make rows")

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

    def scan(self, data: Any, budget: int) -> Found | None:
        """All tables of a sound file; None where something is wrong, or where that is not known."""
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
                return Found(buffer, room[: scan.used], scan.budget)
            wanted = scan.used


class Parts:
    """Which fields of tables to make values of.

    Args:
        fields: An ``ar_row_field`` each.
        absent: What stands for each where it is not there.
        step: How many numbers a table's row has.
    """

    def __init__(
        self, fields: Sequence[tuple[int, ...]], absent: tuple[Any, ...], step: int
    ) -> None:
        self._fields = ffi.new("ar_row_field[]", fields or 1)
        self.address = int(ffi.cast("intptr_t", self._fields))
        self.absent, self.step = absent, step


class Found:
    """What the verifier has found in a file: numbers by ``ar_fb_kind``, the root table's first.

    ``budget`` is what is left of it.
    """

    def __init__(self, data: Any, room: npt.NDArray[np.int64], budget: int) -> None:
        self._data, self._room = data, room
        self._places = (
            int(ffi.cast("intptr_t", data)),
            int(ffi.cast("intptr_t", ffi.from_buffer(room))),
        )
        self.budget = budget

    def numbers(self) -> list[int]:
        """All numbers."""
        numbers: list[int] = self._room.tolist()
        return numbers

    def rows(
        self,
        parts: Parts,
        place: int,
        count: int,
        helpers: tuple[Any, ...],
        loose: Callable[[int, int, int], Any],
    ) -> list[tuple[Any, ...]]:
        """A tuple of values for each of ``count`` tables.

        Args:
            parts: Which values.
            place: The first table's number.
            count: How many tables there are.
            helpers: Of slices the whole file as such numbers, or None where it is not aligned; of
                what is decoded a function of the field's numbers.
            loose: ``loose(field, start, count)`` makes a slice that is not aligned.
        """
        wanted = parts.address, place, parts.step, count, parts.absent
        made: list[tuple[Any, ...]] = extension.rows(*self._places, *wanted, helpers, loose)
        return made
