"""The processors that CMSIS-NN is compiled for, by what they can do in one instruction.

Facts: CMSIS-NN ``Include/arm_nn_math_types.h`` (``ARM_MATH_DSP``, ``ARM_MATH_MVEI``) and
``Include/Internal/arm_nn_compiler.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: ``"plain"``: one value at a time; ``"dsp"``: two int16 in a 32-bit register
#: (``ARM_MATH_DSP``); ``"mve"``: vectors of 16 bytes (``ARM_MATH_MVEI``, Helium).
Instructions = Literal["plain", "dsp", "mve"]


@dataclass(frozen=True)
class Target:
    """A processor, and the compiler that CMSIS-NN is built with.

    Some paths and scratch sizes exist with Arm Compiler 6 (``"armclang"``) only.
    """

    name: str
    instructions: Instructions
    compiler: Literal["gcc", "armclang"] = "gcc"


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("cortex-m0", "plain"),
        Target("cortex-m3", "plain"),
        Target("cortex-m4", "dsp"),
        Target("cortex-m7", "dsp"),
        Target("cortex-m33", "dsp"),
        Target("cortex-m55", "mve"),
    )
}


def find_target(target: str | Target) -> Target:
    """A target by name, built with GCC.

    Raises:
        ValueError: There is none of that name.
    """
    if isinstance(target, Target):
        return target
    if target not in TARGETS:
        raise ValueError(f"expected a target of {', '.join(TARGETS)}, got {target!r}")
    return TARGETS[target]
