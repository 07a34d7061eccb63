"""Which firmware is meant: its processor, the library of kernels that it links, how it is built.

A :class:`Target` says whose memory, paths, costs and bits count. How numbers are computed on this
machine is another question, which ``engine`` answers: any target runs on any engine.

Facts: CMSIS-NN ``Include/arm_nn_math_types.h`` (``ARM_MATH_DSP``, ``ARM_MATH_MVEI``),
``Include/Internal/arm_nn_compiler.h`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``; TFLM
``kernels/internal/common.h`` (``TFLITE_SINGLE_ROUNDING``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

#: ``"plain"``: one value at a time; ``"dsp"``: two int16 in a 32-bit register
#: (``ARM_MATH_DSP``); ``"mve"``: vectors of 16 bytes (``ARM_MATH_MVEI``, Helium).
Instructions = Literal["plain", "dsp", "mve"]
Library = Literal["tflm", "cmsis_nn"]
Compiler = Literal["gcc", "armclang"]
Rounding = Literal["double", "single"]

#: Processors, and what they can do in one instruction.
PROCESSORS: dict[str, Instructions] = {
    "host": "plain",
    "cortex-m0": "plain",
    "cortex-m3": "plain",
    "cortex-m4": "dsp",
    "cortex-m7": "dsp",
    "cortex-m33": "dsp",
    "cortex-m55": "mve",
}


@dataclass(frozen=True)
class Target:
    """A firmware, as far as it decides on memory, paths, costs and bits.

    Attributes:
        processor: One of :data:`PROCESSORS`; ``"host"`` is the machine of TFLM's own package.
        library: Whose kernels are linked: TFLM's reference kernels, or CMSIS-NN where it has one.
        compiler: Some paths and scratch sizes of CMSIS-NN exist with Arm Compiler 6 only.
        rounding: How a product with a quantised multiplier is rounded: twice, as by default, or
            once (``TFLITE_SINGLE_ROUNDING`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``).
        abi: Name of the struct sizes that count; by default ``"lp64"`` on the host, else
            ``"ilp32"``.
        arena_address: Where the arena begins, modulo its alignment; TFLM's own advice is 0.

    Raises:
        ValueError: A value that there is not, or CMSIS-NN for the host.
    """

    processor: str = "cortex-m4"
    library: Library = "cmsis_nn"
    compiler: Compiler = "gcc"
    rounding: Rounding = "double"
    abi: str = ""
    arena_address: int = 0

    def __post_init__(self) -> None:
        _require("processor", self.processor, PROCESSORS)
        _require("library", self.library, ("tflm", "cmsis_nn"))
        _require("compiler", self.compiler, ("gcc", "armclang"))
        _require("rounding", self.rounding, ("double", "single"))
        if self.processor == "host" and self.library == "cmsis_nn":
            raise ValueError("CMSIS-NN is for Cortex-M processors, not for the host")
        if not self.abi:
            object.__setattr__(self, "abi", "lp64" if self.processor == "host" else "ilp32")

    @property
    def instructions(self) -> Instructions:
        """What the processor can do in one instruction."""
        return PROCESSORS[self.processor]

    @property
    def is_cmsis_nn(self) -> bool:
        """Whether CMSIS-NN is linked."""
        return self.library == "cmsis_nn"

    def __str__(self) -> str:
        """The assumptions in one line."""
        library = "TFLM with CMSIS-NN" if self.is_cmsis_nn else "TFLM's reference kernels"
        rounding = ", single rounding" if self.rounding == "single" else ""
        return f"{self.processor}, {library}, {self.compiler}, {self.abi}{rounding}"


def _require(what: str, got: object, of: object) -> None:
    names = list(of)  # type: ignore[call-overload]
    if got not in names:
        raise ValueError(f"expected a {what} of {', '.join(names)}, got {got!r}")


#: TFLM's own Python package on this machine.
HOST = Target("host", "tflm")


def find_target(target: str | Target | None) -> Target:
    """A target by name: ``None`` is the host, ``"cortex-m4"`` (``"m4"``) TFLM with CMSIS-NN.

    An ``f`` for a floating-point unit (``"cortex-m4f"``) changes nothing that is modelled.

    Raises:
        ValueError: There is no processor of that name.
    """
    if target is None:
        return HOST
    if isinstance(target, Target):
        return target
    found = re.fullmatch(r"(?:cortex[-_ ]?)?m(\d+)f?", str(target).strip().lower())
    name = f"cortex-m{found[1]}" if found else str(target)
    if name == "host":
        return HOST
    _require("target", name, PROCESSORS)
    return Target(name)
