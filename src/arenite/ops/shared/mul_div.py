"""MUL and DIV: one multiplier takes their result to the output's scale.

Facts: TFLM ``micro/kernels/mul_common.cc`` and ``div.cc``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arenite.model.types import FLOAT32, INT32
from arenite.ops import kernel_util as util
from arenite.ops.context import Context, Node
from arenite.ops.shared.binary import activation_range_int32, resize_output

Ratio = Callable[[np.float64, np.float64, np.float64], np.float64]


@dataclass(frozen=True)
class MulDivParams:
    """Offsets, multiplier and shift are 0 for float32 and int32.

    ``shifts_out`` says what DIV makes of shifts that C does not define: see there.
    """

    activation_min: float
    activation_max: float
    input1_offset: int = 0
    input2_offset: int = 0
    output_offset: int = 0
    output_multiplier: int = 0
    output_shift: int = 0
    shifts_out: bool = False


def prepare_with(ratio: Ratio, formula: str) -> Callable[[Context, Node], MulDivParams]:
    """A ``prepare``; ``ratio`` makes the multiplier of the scales of both inputs and the output.

    ``formula`` is the ratio in words.
    """

    def prepare(context: Context, node: Node) -> MulDivParams:
        activation = node.options.fused_activation_function
        input1 = util.input_tensor(context, node, 0)
        input2 = util.input_tensor(context, node, 1)
        output = util.output_tensor(context, node)
        resize_output(context, node)
        if output.type is FLOAT32:
            return MulDivParams(*util.activation_range(activation))
        if output.type is INT32:
            return MulDivParams(*activation_range_int32(activation))
        low, high = util.activation_range_quantized(context, activation, output)
        with np.errstate(all="ignore"):
            scales = (np.float64(tensor.scale) for tensor in (input1, input2, output))
            real = float(ratio(*scales))
        multiplier, shift = util.requantization(context, real, formula)
        return MulDivParams(
            activation_min=low,
            activation_max=high,
            input1_offset=-input1.zero_point,
            input2_offset=-input2.zero_point,
            output_offset=output.zero_point,
            output_multiplier=multiplier,
            output_shift=shift,
            shifts_out=context.target.processor != "host",
        )

    return prepare
