"""Constants as C: ``weights.h`` and ``weights.c``."""

from __future__ import annotations

import numpy as np

from arenite.c_text import C_TYPES, are_literals, fill, initializer
from arenite.firmware.plan.program import Program
from arenite.ops.context import Array

#: Floats without literals: their bits.
_BITS_H = """\
union ${name}_floats {
  uint32_t bits[$size];
  float values[$size];
};
extern const union ${name}_floats $name;"""


def declarations(program: Program) -> str:
    """Declarations of all constants in ``weights.h``."""
    return "\n".join(_declared(name, one.values) for name, one in program.constants.items())


def _declared(name: str, values: Array) -> str:
    if are_literals(values):
        return f"extern const {C_TYPES[values.dtype]} {name}[{values.size}];"
    return fill(_BITS_H, name=name, size=values.size)


def definitions(program: Program) -> str:
    """``weights.c``."""
    aligned = any(one.alignment for one in program.constants.values())
    lines = ['#include "weights.h"', "", *(['#include "arithmetic.h"', ""] if aligned else [])]
    for name, one in program.constants.items():
        alignment = f"AR_ALIGNED({one.alignment}) " if one.alignment else ""
        lines += [f"{program.name.upper()}_CONST {alignment}{_defined(name, one.values)}", ""]
    return "\n".join(lines)


def _defined(name: str, values: Array) -> str:
    if are_literals(values):
        return f"const {C_TYPES[values.dtype]} {name}[{values.size}] = {initializer(values)};"
    bits = initializer(values.view(np.uint32))
    return f"const union {name}_floats {name} = {{{bits}}};"
