"""The verifier of FlatBuffers in C, see ``csrc/include/flatbuffer.h``."""

from __future__ import annotations

from collections.abc import Sequence
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
SLICE, DECODED, PLACED = lib.AR_ROW_SLICE, lib.AR_ROW_DECODED, lib.AR_ROW_PLACED
REAL, BYTES, ITEM = lib.AR_ROW_REAL, lib.AR_ROW_BYTES, lib.AR_ROW_ITEM
NOTHING, OBJECT, OPAQUE = lib.AR_ROW_NOTHING, lib.AR_ROW_OBJECT, lib.AR_ROW_OPAQUE

if not lib.ar_add_fb_objects():
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
        first: The root's number among the tables of all schemas that one file is verified with.
    """

    def __init__(
        self,
        tables: Sequence[tuple[int, int, int]],
        fields: Sequence[tuple[int, ...]],
        members: Sequence[tuple[int, int]],
        *,
        max_depth: int,
        table_cost: int,
        first: int = 0,
    ) -> None:
        arrays = (
            ffi.new("ar_fb_table[]", tables),
            ffi.new("ar_fb_field[]", fields),
            ffi.new("ar_fb_member[]", members or 1),
        )
        self._schema = ffi.new("ar_fb_schema *", (*arrays, max_depth, table_cost, first))
        self._keep = arrays
        self.address = int(ffi.cast("intptr_t", self._schema))

    def scan(self, data: npt.NDArray[np.uint8], budget: int) -> Found | None:
        """All tables of a sound file; None where something is wrong, or where that is not known.

        An array, as the process ends where a ``memoryview`` is garbage in a cycle with cffi's
        buffer of it: the collector clears it first.
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
                return Found(scan, (buffer, room, known))
            wanted = scan.used


#: What to make of tables: the address of ``ar_row_field``, and what ``csrc/python/fb_objects.c``
#: says.
Form = tuple[int, tuple[Any, ...], tuple[Any, ...], type[Any] | None, tuple[str, ...]]


class Fields:
    """An ``ar_row_field`` each, for the first item of a form."""

    def __init__(self, fields: Sequence[tuple[int, ...]]) -> None:
        self._fields = ffi.new("ar_row_field[]", fields or 1)
        self.address = int(ffi.cast("intptr_t", self._fields))


class Found:
    """Tables that the verifier found in a file: numbers by ``ar_fb_kind``, the root's first."""

    def __init__(self, scan: Any, keep: tuple[Any, ...]) -> None:
        self._scan, self._keep = scan, keep
        self._address = int(ffi.cast("intptr_t", scan))

    @property
    def budget(self) -> int:
        """Rest of it; :meth:`rows` may take more."""
        return int(self._scan.budget)

    @budget.setter
    def budget(self, budget: int) -> None:
        self._scan.budget = budget

    def numbers(self) -> npt.NDArray[np.int64]:
        """All numbers."""
        room: npt.NDArray[np.int64] = self._keep[1]
        return room[: self._scan.used]

    def rows(self, place: int, step: int, count: int, form: Form) -> list[Any] | None:
        """An object, or a tuple of values, for each of ``count`` tables.

        Args:
            place: The first table's number.
            step: How many numbers a table's row has.
            count: How many tables there are.
            form: What to make of each.

        Returns:
            None where the reader in Python has to look at the file.
        """
        made: list[Any] | None = extension.rows(self._address, place, step, count, form)
        return made
