"""Comparisons of two inputs that broadcast: quantised values on a common scale.

Facts: TFLM ``micro/kernels/comparisons.cc`` and ``reference/comparisons.h``. TFLM makes no
parameters for int16 and then compares with what happens to be in the arena.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.model import TensorType
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, INT64
from arenite.numeric.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import Array, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.binary import is_quantized, resize_output, shapes_broadcast, truth

_LEFT_SHIFT = 8


@dataclass(frozen=True)
class ComparisonParams:
    """Parameters that bring both inputs to real values times 256, if ``is_scaled``."""

    is_scaled: bool = False
    left_shift: int = 0
    input1_offset: int = 0
    input1_multiplier: int = 0
    input1_shift: int = 0
    input2_offset: int = 0
    input2_multiplier: int = 0
    input2_shift: int = 0


OP_DATA = Struct("OpData", (*("int", "int32", "int32", "int", "int32", "int32", "int"), "bool"))

COMPARED = Traits(
    compiled="for U85 Vela leaves out the inputs' scales where the output has a scale of its own"
)

#: The types in which every comparison is there.
TYPES = (FLOAT32, INT8, INT32, INT64)


def one_type(node: c.NodeView) -> bool:
    """Both inputs have the same type."""
    return node.input(0).type is node.input(1).type


def prepare(context: Context, node: Node) -> ComparisonParams:
    """Offsets and multipliers of quantised inputs, and the output's shape."""
    inputs = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
    resize_output(context, node)
    if inputs[0].type is INT16:
        context.warn_undefined(
            "TensorFlow Lite Micro compares int16 inputs with parameters that it never sets; "
            "here they are compared as int8 ones are, by their scales and zero points"
        )
        if not any(map(is_quantized, inputs)):
            return ComparisonParams()
    elif inputs[0].type is not INT8:
        return ComparisonParams()
    first, second = (
        util.requantization_below_one(context, tensor.scale, f"scale of input {number}")
        for number, tensor in enumerate(inputs)
    )
    return ComparisonParams(
        is_scaled=True,
        left_shift=_LEFT_SHIFT,
        input1_offset=-inputs[0].zero_point,
        input1_multiplier=first[0],
        input1_shift=first[1],
        input2_offset=-inputs[1].zero_point,
        input2_multiplier=second[0],
        input2_shift=second[1],
    )


def scaled(x: Array, offset: int, left_shift: int, multiplier: int, shift: int) -> Int64Array:
    """``x`` without its zero point, times ``2**left_shift`` and the multiplier."""
    wide = wrap_int32((x.astype(np.int64) + offset) << left_shift)
    return multiply_by_quantized_multiplier(wide, multiplier, shift)


def comparison(compare: Callable[[Array, Array], Any], *more: TensorType) -> Registration:
    """An operator that tells where ``compare`` holds; ``more`` are types beside ``TYPES``."""

    def invoke(context: Context, node: Node) -> None:
        p: ComparisonParams = node.params
        a, b = util.input_array(context, node, 0), util.input_array(context, node, 1)
        if p.is_scaled:
            a = scaled(a, p.input1_offset, p.left_shift, p.input1_multiplier, p.input1_shift)
            b = scaled(b, p.input2_offset, p.left_shift, p.input2_multiplier, p.input2_shift)
        util.output_array(context, node)[...] = compare(truth(a), truth(b))

    return Registration(
        init=util.allocate_struct(OP_DATA),
        prepare=prepare,
        invoke=invoke,
        constraints=(
            *c.counts(2, 1),
            c.input_types(0, *TYPES, *more),
            one_type,
            c.output_type(BOOL),
            shapes_broadcast,
        ),
    )
