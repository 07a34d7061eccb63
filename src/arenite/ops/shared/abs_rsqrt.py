"""Common parts of ABS and RSQRT: their struct, and conditions of quantised tensors.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops import constraints as c
from arenite.ops.shared.binary import is_quantized

OP_DATA = Struct("OpDataAbsRsqrt", ("int32", "int", "int", "int", "bool", "enum", "enum"))


def int8_is_quantized(node: c.NodeView) -> bool:
    """int8 tensors have a scale and a zero point; so has an int16 output if its input has."""
    inp, output = node.input(0), node.output(0)
    if inp.type is INT8:
        return is_quantized(inp) and is_quantized(output)
    return inp.type is FLOAT32 or is_quantized(output) or not is_quantized(inp)


def int16_is_symmetric(node: c.NodeView) -> bool:
    """Quantised int16 has zero points 0."""
    inp, output = node.input(0), node.output(0)
    if inp.type is not INT16 or not is_quantized(inp):
        return True
    return inp.zero_point == output.zero_point == 0


CONSTRAINTS = (
    *c.one_to_one(FLOAT32, INT8, INT16),
    int8_is_quantized,
    int16_is_symmetric,
)
