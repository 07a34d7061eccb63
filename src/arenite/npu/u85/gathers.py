"""U85's copies by indices: rows of bytes out of a table, one for each number of another map.

Facts: Vela 5.2.0 regor ``ethos_u85_register_cs_generator.cpp`` (``GenerateDMA``),
``high_level_command_stream_generator.cpp`` (``GenerateHLCDMACommands``: what its sizes and steps
are, and that indices of int64 are those of int32 with a gap behind each).
"""

from __future__ import annotations

import numpy as np

from arenite.npu.feature_map import FeatureMap, Piece
from arenite.npu.layers import Reading
from arenite.npu.operations import Gather
from arenite.npu.registers import Registers
from arenite.npu.stream import Command, StreamError

#: Bits of a region register of a copy: inside the NPU; dimensions; by indices.
_INSIDE, _PLANES, _INDEXED = 1 << 8, 2 << 9, 1 << 11
#: Bytes that a copy writes.
MAX_BYTES = 1 << 24


def is_indexed(registers: Registers) -> bool:
    """Whether the next copy has indices, of its source or of its target."""
    ends = (registers.short(f"DMA0_{end}_REGION") for end in ("SRC", "DST"))
    return any(region & _INDEXED for region in ends)


def gather(reading: Reading, command: Command, number: int) -> Gather:
    """A copy by indices of its source."""
    registers = reading.registers
    source, target = (registers.short(f"DMA0_{end}_REGION") for end in ("SRC", "DST"))
    if target & _INDEXED:
        raise StreamError("copies to places that indices say are not there yet")
    if (source | target) & _INSIDE:
        raise StreamError("expected indices of bytes in memory, got the NPU's own buffer")
    planes = source & _PLANES
    count = registers.short("DMA0_SIZE1") if planes else 1
    shape = count, registers.short("DMA0_SIZE0"), registers.address("DMA0_LEN")
    if not 0 < shape[0] * shape[1] * shape[2] <= MAX_BYTES:
        raise StreamError(f"expected 1 to {MAX_BYTES} bytes by indices, got {shape}")
    last = registers.long("DMA0_IDX_MAX")[1]
    skip = registers.stride("DMA0_IDX_SKIP1") if planes else 0

    def steps(end: str) -> tuple[int, int, int]:
        plane = registers.stride(f"DMA0_{end}_STRIDE1") if planes else 0
        return plane, registers.stride(f"DMA0_{end}_STRIDE0"), 1

    table = _rows(registers, "SRC", (count, last + 1, shape[2]), steps("SRC"), "int8")
    indices = _rows(registers, "IDX", (*shape[:2], 1), (4 * shape[1] + skip, 4, 4), "int32")
    out = _rows(registers, "DST", shape, steps("DST"), "int8")
    for one, what in ((table, "rows"), (indices, "indices"), (out, "target")):
        low, high = one.span
        reading.known.require(one.region, low, high - low, what)
    return Gather(number, command.position, table, indices, out)


def _rows(
    registers: Registers,
    end: str,
    shape: tuple[int, int, int],
    steps: tuple[int, int, int],
    dtype: str,
) -> FeatureMap:
    """A map without a zero point."""
    region = registers.short(f"DMA0_{end}_REGION") & 7
    begin = registers.address(f"DMA0_{end}")
    (height, width, depth), (plane, row, element) = shape, steps
    size, strides = (height, width, 1, depth), (plane, row, 0, element)
    piece = Piece((0, height), (0, width), (0, depth), begin, size, strides)
    return FeatureMap(region, np.dtype(dtype), shape, 0, (piece,))
