"""Command streams written by hand, and a small layer to begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from arenite.npu.operations import Program
from arenite.npu.reference import run
from arenite.npu.registers import LONG, LONG_U85, OPERATIONS, SHORT, SHORT_U85
from arenite.npu.stream import Stream, read_stream
from arenite.npu.verification.reader import read_program

#: Registers of U55, and those that U85 has in the same places.
_SHORT = {name: code for table in (SHORT_U85, SHORT) for code, name in table.items()}
_LONG = {name: code for table in (LONG_U85, LONG) for code, name in table.items()}
_OPERATIONS = {name: code for code, name in OPERATIONS.items()}
#: The configuration words of U55 with 128 MACs, and of others.
U55_128, U65_512, U85_256 = 0x1807, 0x10006009, 0x20000118
Bytes = np.ndarray[Any, Any]


class Assembler:
    """Commands one after the other."""

    def __init__(self) -> None:
        self.words: list[int] = []

    def set(self, **values: int) -> Assembler:
        """Set registers by name, sizes by what they are without ``_M1``."""
        for name, value in values.items():
            if f"{name}_M1" in _SHORT:
                self.words.append(_SHORT[f"{name}_M1"] | (value - 1 & 0xFFFF) << 16)
            elif name in _SHORT:
                self.words.append(_SHORT[name] | (value & 0xFFFF) << 16)
            else:
                self.words += [0x4000 | _LONG[name] | (value >> 32 & 0xFFFF) << 16]
                self.words += [value & 0xFFFFFFFF]
        return self

    def do(self, operation: str, parameter: int = 0) -> Assembler:
        """An operation."""
        self.words.append(_OPERATIONS[operation] | parameter << 16)
        return self

    def stop(self, config: int = U55_128) -> Bytes:
        """The whole stream, which ends here."""
        return payload(self.do("STOP", 0xFFFF).words, config)


def payload(words: list[int], config: int = U55_128) -> Bytes:
    """Commands behind a header as Vela writes it."""
    count = len(words)
    header = [0x31504F43, 0x00100001, config, 0x10066001, 5, 5, 5]
    header.append(2 | (count >> 16) << 8 | (count & 0xFFFF) << 16)
    return np.array([*header, *words], "<u4").view(np.uint8)


def map_of(which: str, base: int, height: int, width: int, depth: int) -> dict[str, int]:
    """The registers of a map of int8 in region 1, whose channels lie side by side."""
    shape = {f"{which}_BASE{i}": base if i == 0 else 0 for i in range(4)}
    tiles = {f"{which}_HEIGHT0": height, f"{which}_HEIGHT1": height, f"{which}_WIDTH0": width}
    steps = {f"{which}_STRIDE_Y": width * depth, f"{which}_STRIDE_X": depth}
    return {
        **{**shape, **tiles, **steps, f"{which}_STRIDE_C": 16},
        **{f"{which}_REGION": 1, f"{which}_ZERO_POINT": 0, f"{which}_PRECISION": 1},
    }


#: What every layer sets, for a result without a scale.
PLAIN = {"ACTIVATION": 0, "ACTIVATION_MIN": -128, "ACTIVATION_MAX": 127, "IFM_UPSCALE": 0}
KERNEL = {
    **{"KERNEL_HEIGHT": 1, "KERNEL_WIDTH": 1, "KERNEL_STRIDE": 0},
    **{f"IFM_PAD_{side}": 0 for side in ("TOP", "LEFT", "BOTTOM", "RIGHT")},
}
INPUT, OUTPUT = 0, 64


def layer(height: int = 2, width: int = 2, depth: int = 2, **changed: int) -> Assembler:
    """Registers of a layer from bytes 0 to bytes 64, with some changed."""
    size = {"OFM_HEIGHT": height, "OFM_WIDTH": width, "OFM_DEPTH": depth, "IFM_DEPTH": depth}
    maps = {
        **map_of("IFM", INPUT, height, width, depth),
        **map_of("OFM", OUTPUT, height, width, depth),
    }
    return Assembler().set(**{**PLAIN, **KERNEL, **size, **maps, **changed})


def verified(stream: Bytes, read_only: Bytes | None = None, work: int = 128) -> Program:
    """The operations of a stream with ``work`` bytes of memory."""
    constants = np.zeros(0, np.uint8) if read_only is None else read_only
    return read_program(read_stream(stream), constants, work, None)


def stored(stream: Bytes, x: list[int], count: int, read_only: Bytes | None = None) -> list[int]:
    """The first bytes from 64 on, as int8, behind a stream that found ``x`` at byte 0."""
    constants = np.zeros(0, np.uint8) if read_only is None else read_only
    work = np.zeros(128, np.uint8)
    work.view(np.int8)[: len(x)] = x
    run(verified(stream, constants), {0: constants, 1: work, 2: work})
    found: list[int] = work.view(np.int8)[OUTPUT : OUTPUT + count].tolist()
    return found


def stream_of(words: list[int], config: int = U55_128) -> Stream:
    """The same, read."""
    return read_stream(payload(words, config))
