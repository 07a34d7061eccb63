"""Rates of U85 by how many multiply-adds it has, its buffers, and the memories that Vela assumes.

Facts: Vela 5.2.0 regor ``ethos_u85.cpp`` (``s_EthosU85PerfInfo``, ``s_EthosU85Configs``,
``SetupOfmUBlockToIfmAuTable``), ``config_files/Arm/vela.ini``.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.npu.feature_map import Shape

#: Vela's configuration of memories.
SYSTEM = "Ethos_U85_SYS_DRAM_Mid"
#: Buffers of 16 bytes: copies, inputs in rows, weights, weights in the fast format, inputs, scales.
CHANNELS = ("copy", "rows", "weights", "fast", "input", "scales")
BUFFERS = {
    128: (64, 64, 128, 128, 104, 16),
    256: (104, 104, 128, 128, 128, 16),
    512: (128, 128, 256, 256, 128, 16),
    1024: (256, 256, 416, 208, 256, 16),
    2048: (256, 256, 512, 256, 256, 16),
}
#: Cycles per element that is stored: of 8, 16, 32, 64 bits; of 32 bits in a chain or narrowed; of
#: two inputs of 32 bits. Then those of outputs that are turned, and of resizing, by bits.
OUTPUT = {
    128: (0.5, 0.5, 0.5, 1.0, 1.0, 1.0),
    256: (0.25, 0.25, 0.25, 0.5, 0.5, 0.5),
    512: (0.125, 0.125, 0.25, 0.5, 0.25, 0.25),
    1024: (0.0625, 0.125, 0.25, 0.5, 0.125, 0.25),
    2048: (0.03125, 0.0625, 0.125, 0.25, 0.0625, 0.125),
}
TURNED = {128: 1.0, 256: 0.5, 512: 0.25, 1024: 0.125, 2048: 0.125}
RESIZED = {
    **{128: (0.5, 1.0), 256: (0.25, 0.5), 512: (0.125, 0.25), 1024: (0.125, 0.125)},
    2048: (0.0625, 0.0625),
}
#: Of a division.
DIVISION = 33.0
#: What the input's memory is cut into, by how many bits a position has: up to 128, 256, more.
_Cuts = tuple[Shape, Shape, Shape]
CUTS: dict[int, tuple[_Cuts, _Cuts]] = {  # for units that are a row of four, and for others
    128: (((1, 2, 1), (1, 1, 2), (1, 1, 2)),) * 2,
    256: (((1, 4, 1), (1, 2, 2), (1, 1, 4)), ((2, 2, 1), (1, 2, 2), (1, 1, 4))),
    512: (((1, 4, 1), (1, 2, 2), (1, 1, 4)), ((2, 2, 1), (1, 2, 2), (1, 1, 4))),
    1024: (((2, 4, 1), (1, 4, 2), (1, 2, 4)), ((2, 4, 1), (2, 2, 2), (1, 2, 4))),
    2048: (((4, 4, 1), (2, 4, 2), (1, 4, 4)), ((4, 4, 1), (2, 4, 2), (2, 2, 4))),
}


@dataclass(frozen=True)
class Memory:
    """One kind of memory, in the NPU's cycles.

    Attributes:
        bytes: Per cycle.
        burst: Bytes that are transferred whole.
        read, write: Until the first byte is there.
        reads, writes: That may be under way.
        ports: Of the NPU that lead there.
    """

    bytes: float
    burst: int
    read: int
    write: int
    reads: int
    writes: int
    ports: int


FAST_MEMORY = Memory(32.0, 64, 32, 32, 8, 8, 2)
SLOW_MEMORY = Memory(12.0, 128, 500, 250, 64, 32, 1)
