"""The search for places below a height in C, a slice of steps at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib

BLOCK = np.dtype(
    [(name, "i8") for name in ("size", "least", "lifetime", "offset")]
    + [(name, "i4") for name in ("first", "behind", "others", "unused")]
)
NEIGHBOUR = np.dtype([("block", "i4"), ("unused", "i4"), ("above", "i8"), ("below", "i8")])
#: By what buffers are ranked, one search each.
ORDERS: tuple[int, ...] = (lib.AR_WAT, lib.AR_TAW, lib.AR_TWA)


class Packing:
    """A problem as C sees it; see ``csrc/include/packing.h``.

    Args:
        blocks: Of type ``BLOCK``, one more than there are buffers.
        neighbours: Of type ``NEIGHBOUR``; those of a block begin at its ``others``.
        alive: The blocks of every section.
        alive_from: Where each section's begin in ``alive``, and the end.
        room: Numbers that a search may keep.
        has_ties: Whether neighbours may begin at the same byte. There are no circles of blocks,
            each of which may only be the upper one then.
    """

    def __init__(
        self,
        blocks: npt.NDArray[Any],
        neighbours: npt.NDArray[Any],
        alive: npt.NDArray[np.int32],
        alive_from: npt.NDArray[np.int32],
        *,
        room: int,
        has_ties: bool = False,
    ) -> None:
        count, sections = len(blocks) - 1, len(alive_from) - 1
        least = lib.ar_packing_room(count, sections)
        self._blocks = blocks
        self._room = np.empty(max(room, least), np.int64)
        self._taken = ffi.new("int64_t *")
        # The struct holds addresses only, these keep the memory.
        self._held = [
            ffi.from_buffer("ar_block[]", blocks),
            ffi.from_buffer("ar_neighbour[]", neighbours),
            ffi.from_buffer("int32_t[]", alive),
            ffi.from_buffer("int32_t[]", alive_from),
            ffi.from_buffer("int64_t[]", self._room),
        ]
        self._packing = ffi.new("ar_packing *")
        packing = self._packing
        (packing.blocks, packing.neighbours, packing.alive, packing.alive_from) = self._held[:4]
        packing.count, packing.sections = count, sections
        packing.has_ties = has_ties
        packing.room, packing.room_count = self._held[4], len(self._room)

    def start(self, height: int, order: int) -> None:
        """Begin a search for places below a height, with an order of :data:`ORDERS`."""
        self._packing.height, self._packing.order = height, order
        lib.ar_packing_start(self._packing)

    def run(self, steps: int) -> tuple[bool | None, int]:
        """Go on for so many steps.

        Returns:
            Whether there is a plan, None as long as that is open; and the steps that were taken.

        Raises:
            MemoryError: The search would take more room.
        """
        state = lib.ar_packing_run(self._packing, steps, self._taken)
        if state == lib.AR_NO_ROOM:
            raise MemoryError
        outcome = {lib.AR_FITS: True, lib.AR_FITS_NOT: False}.get(state)
        return outcome, int(self._taken[0])

    @property
    def offsets(self) -> list[int]:
        """The places that were found."""
        found: list[int] = self._blocks["offset"][:-1].tolist()
        return found
