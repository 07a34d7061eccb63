"""Settings of passes: facts that they may rely on, and changes that they may make."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from arenite.target import Target

#: Whether outputs may lie on inputs that are no longer needed: never; where that is safe on
#: every build that is known; where it is safe on the target.
Overlap = Literal["none", "portable", "target"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
#: The functions of TFLM_DECODE on an emulated Cortex-M4, by GCC's -O2, with their constants: bytes.
DECODER_CODE = 22_000


@dataclass(frozen=True)
class Settings:
    """Facts that passes may rely on, and changes that they may make.

    Attributes:
        target: The firmware that memory is planned for; None is TFLM's own package on this host.
        overlap: Whether outputs may lie on inputs, one of :data:`OVERLAPS`.
        dilate: Whether 1x1 convolutions may get a dilation that changes nothing but their path.
        strip: Whether names and descriptions go.
        lower: Whether operators that the target's TFLM lacks are written from those it has.
        seconds: How long one search for a plan may take.
        ranges: Least and largest real value of inputs, by name, as the user promises them.
        compress: Whether constants are compressed, for a smaller file and a larger arena.
        ram: Bytes that the arena may then have; None for as many as it takes.
        cycles: Cycles that an inference may then take, as estimated; None for any number.
        decompression_memory: Bytes beside the arena for what is decoded.
        decoder_code: Bytes of code that TFLM_DECODE adds to the firmware.

    Raises:
        ValueError: A value that there is not.
    """

    target: Target | None = None
    overlap: Overlap = "none"
    dilate: bool = False
    strip: bool = False
    lower: bool = False
    seconds: float = 10.0
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    compress: bool = False
    ram: int | None = None
    cycles: int | None = None
    decompression_memory: int = 0
    decoder_code: int = DECODER_CODE

    def __post_init__(self) -> None:
        if self.overlap not in OVERLAPS:
            raise ValueError(f"expected an overlap of {', '.join(OVERLAPS)}, got {self.overlap!r}")
        if not self.seconds > 0:
            raise ValueError(f"expected a positive number of seconds, got {self.seconds}")
        for name in ("ram", "cycles", "decompression_memory", "decoder_code"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"expected {name} from 0 on, got {getattr(self, name)}")
        for name, (low, high) in self.ranges.items():
            if not -math.inf <= low <= high <= math.inf:
                raise ValueError(
                    f"input {name!r}: expected a range from least to largest value, "
                    f"got {low} to {high}"
                )
