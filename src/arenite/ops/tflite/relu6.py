"""RELU6: ``min(max(x, 0), 6)`` on the input's quantised values.

TFLM takes the input's quantisation for the output's, too.

Facts: TFLM ``micro/kernels/activations.cc``, ``activations_common.cc``, ``micro_utils.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric.fixedpoint import round_half_away
from arenite.ops import Array, Context, Node, Registration, Scheme, Struct, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.overlap import element_by_element


@dataclass(frozen=True)
class Relu6Params:
    """The values that stand for 0 and 6."""

    zero: float
    six: float


def prepare(context: Context, node: Node) -> Relu6Params:
    """Zero and six in the input's steps."""
    inp = util.input_tensor(context, node, 0)
    context.resize_tensor(node.outputs[0], inp.shape)
    if inp.type is FLOAT32:
        return Relu6Params(0.0, 6.0)
    low, high = util.QUANTIZED_RANGE[inp.type]
    if not inp.scale:
        context.warn_undefined(
            f"the input has no scale, so that 6 is no number of steps; as in TFLM's package, it "
            f"counts as {low}"
        )
        return Relu6Params(inp.zero_point, low)
    steps = float(np.float32(6) / np.float32(inp.scale))
    if not abs(steps) < 2.0**31:
        context.report_error(
            f"6 must be a number of input steps under 2**31, got a scale of {inp.scale:g}"
        )
    return Relu6Params(inp.zero_point, max(low, min(high, round_half_away(steps) + inp.zero_point)))


def invoke(context: Context, node: Node) -> None:
    """The same for all element types."""
    params: Relu6Params = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    relu6(params, x, out)


def relu6(params: Relu6Params, x: Array, out: Array) -> None:
    """``six`` above six, else ``zero`` below zero, else ``x``."""
    zero, six = x.dtype.type(params.zero), x.dtype.type(params.six)
    np.copyto(out, np.where(x > six, six, np.where(x < zero, zero, x)))


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("Relu6OpData", ("int32", "int32"))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    constraints=c.one_to_one(FLOAT32, INT8, INT16),
)

TRAITS = Traits(
    values="function",
    channels="same",
    exact_on_floats=True,
    elementwise=True,
    clamps=True,
    compiled="TFLM ignores the output's scale, which Vela's command applies",
)

SCHEME = Scheme(scales="same", fused=util.Activation.RELU6)
