"""A file's bytes: nothing is read outside of them, and nothing too often."""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.formats.flatbuffer.schema import FormatError

ALLOWANCE = 3
SLACK = 4096

#: An unsigned number of 32 bits at a place.
UINT32 = Struct("<I").unpack_from


def view_of(data: Any) -> memoryview:
    """The bytes of any object with a contiguous buffer, flat."""
    view = memoryview(data)
    return view.cast("B") if view.nbytes else memoryview(b"")


class File:
    """A flat, contiguous view of bytes, and what may still be read of it."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.size = len(data)
        self.bytes = np.frombuffer(data, np.uint8)
        self.bytes.flags.writeable = False
        self._address = self.bytes.__array_interface__["data"][0]
        #: What may still be visited, in bytes.
        self.budget = ALLOWANCE * self.size + SLACK
        self._wholes: dict[np.dtype[Any], npt.NDArray[Any] | None] = {}

    def span(self, start: int, size: int, path: str) -> npt.NDArray[np.uint8]:
        """Bytes that are stored behind the FlatBuffer and found by their place in the file.

        Raises:
            ModelError: They do not lie inside the file, or are used too often.
        """
        try:
            if start + size > self.size:
                raise FormatError(
                    f"expected data inside the file's {self.size} bytes, got {size} bytes "
                    f"at {start}"
                )
            self.pay(size, start)
        except FormatError as error:
            raise ModelError(error.message, offset=error.offset, path=path) from None
        return self.bytes[start : start + size]

    def array(self, start: int, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Numbers that lie in the file, copied only where they are not aligned."""
        array: npt.NDArray[Any] = self.bytes[start : start + count * dtype.itemsize].view(dtype)
        if (self._address + start) % dtype.itemsize == 0:
            return array
        array = array.copy()
        array.flags.writeable = False
        return array

    def whole(self, dtype: np.dtype[Any]) -> npt.NDArray[Any] | None:
        """The whole file as numbers; None where they are not aligned."""
        if dtype not in self._wholes:
            count = self.size // dtype.itemsize
            is_aligned = self._address % dtype.itemsize == 0
            self._wholes[dtype] = self.array(0, count, dtype) if is_aligned else None
        return self._wholes[dtype]

    def alignment(self, places: npt.NDArray[np.int64]) -> int:
        """Common divisor of the addresses of all these places of the file: 1, 2, 4 or 8."""
        bits: int = 8 | self._address | int(np.bitwise_or.reduce(places))
        return bits & -bits

    def follow(self, position: int) -> int:
        """Where the offset at ``position`` points to."""
        offset: int = UINT32(self.data, position)[0]
        target = position + offset
        if offset == 0 or target > self.size - 4:
            raise FormatError(
                f"expected an offset that stays inside the file's {self.size} bytes, got {offset}",
                position,
            )
        return target

    def extent(self, position: int, item: int, terminator: int = 0) -> tuple[int, int]:
        """Start and length of the vector to which the offset at ``position`` points."""
        data, size = self.data, self.size
        target: int = position + UINT32(data, position)[0]
        if not position < target <= size - 4:
            self.follow(position)  # which says what is wrong
        count: int = UINT32(data, target)[0]
        start, nbytes = target + 4, count * item
        if start + nbytes + terminator > size:
            raise FormatError(
                f"{count} elements of {item} bytes do not end inside the file's {size} bytes",
                target,
            )
        self.budget -= 4 + nbytes
        if self.budget < 0:
            raise self.overdrawn(target)
        return start, count

    def pay(self, cost: int, position: int) -> None:
        """Take a visit out of the budget."""
        self.budget -= cost
        if self.budget < 0:
            raise self.overdrawn(position)

    def overdrawn(self, position: int) -> FormatError:
        """The error of a file that shares too much."""
        return FormatError(
            f"the file's {self.size} bytes are used more than {ALLOWANCE} times over: too "
            "many offsets share tables, vectors or strings",
            position,
        )
