"""Memory whose contents are known before a stream runs: constants, and their copies.

Weights, scales and tables are constants, which streams copy into faster memory first. Following the
copies, all of them are found before anything runs. An operation's output ends what was known there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.npu.feature_map import Sizes
from arenite.npu.stream import StreamError

Bytes = npt.NDArray[np.uint8]
#: Regions of the stream: constants to read; memory to work in; fast memory.
READ_ONLY, WORK, FAST = range(3)
#: The NPU's own buffer, which has no number.
SHARED_BUFFER = -1


class Known:
    """Bytes by region, and which of them are known."""

    def __init__(self, read_only: Bytes, sizes: Sizes) -> None:
        self._sizes = sizes
        self._bytes = {READ_ONLY: read_only}
        self._known = {READ_ONLY: np.ones(len(read_only), bool)}

    def require(self, region: int, begin: int, length: int, what: str) -> None:
        """Check that bytes lie inside a region.

        Raises:
            StreamError: There is no such region, or some lie outside.
        """
        size = self._sizes.get(region)
        if size is None:
            raise StreamError(f"{what}: there is no region {region}")
        if begin < 0 or begin + length > size:
            raise StreamError(
                f"{what}: bytes {begin} to {begin + length} are outside of region {region} of "
                f"{size} bytes"
            )

    def take(self, region: int, begin: int, length: int, what: str) -> Bytes:
        """Bytes that are known.

        Raises:
            StreamError: Some are not, or lie outside.
        """
        self.require(region, begin, length, what)
        known = self._known.get(region)
        if known is None or not known[begin : begin + length].all():
            raise StreamError(
                f"{what}: bytes {begin} to {begin + length} of region {region} are no constants "
                "when they are read"
            )
        found: Bytes = self._bytes[region][begin : begin + length].copy()
        return found

    def copy(self, source: tuple[int, int], target: tuple[int, int], length: int) -> None:
        """Follow a copy; both ends lie inside."""
        (region, begin), (to, first) = source, target
        known = self._known.get(region)
        if known is None and to not in self._known:
            return
        if to not in self._known:
            self._bytes[to] = np.zeros(self._sizes[to], np.uint8)
            self._known[to] = np.zeros(self._sizes[to], bool)
        place = slice(first, first + length)
        if known is None:
            self._known[to][place] = False
            return
        self._bytes[to][place] = self._bytes[region][begin : begin + length].copy()
        self._known[to][place] = known[begin : begin + length].copy()

    def forget(self, region: int, begin: int, end: int) -> None:
        """An operation writes there."""
        if region in self._known:
            self._known[region][begin:end] = False
