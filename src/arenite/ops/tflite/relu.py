"""RELU: ``max(x, 0)``, rescaled to the output's quantisation.

Facts: TFLM ``micro/kernels/activations.cc``, ``activations_common.cc``, ``activations.h``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Array, Int64Array
from arenite.ops import Context, Node, Registration, Scheme, TfLiteTensor, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.cases import unary_cases
from arenite.ops.shared.overlap import element_by_element
from arenite.ops.traits import Saturation


@dataclass(frozen=True)
class ReluParams:
    """Requantisation for int8 and int16, and for int8 the results for all inputs."""

    input_offset: int = 0
    output_offset: int = 0
    output_multiplier: int = 0
    output_shift: int = 0
    activation_min: int = 0
    activation_max: int = 0
    table: Array = field(default_factory=lut.no_table)


def int16_is_symmetric(node: c.NodeView) -> bool:
    """int16 has zero points 0."""
    if node.input(0).type is not INT16:
        return True
    return node.input(0).zero_point == node.output(0).zero_point == 0


def prepare(context: Context, node: Node) -> ReluParams:
    """Requantisation; for int8 the results for all 256 inputs."""
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32:
        return ReluParams()
    low, high = _range(context, output)
    ratio = util.scale_ratio(inp.scale, output.scale)
    multiplier, shift = util.requantization(context, ratio, "input / output")
    params = ReluParams(inp.zero_point, output.zero_point, multiplier, shift, low, high)
    if inp.type is INT16:
        return params
    return replace(params, table=lut.table_int8(lambda x: relu_quantized(params, x)))


def _range(context: Context, output: TfLiteTensor) -> tuple[int, int]:
    """From the output's zero point to the highest value.

    Without a scale 0 is no number of steps: C's conversion gives INT_MIN on x86, which wraps where
    the zero point is below 0.
    """
    if output.scale:
        return util.activation_range_quantized(context, util.Activation.RELU, output)
    low, high = util.QUANTIZED_RANGE[output.type]
    return max(low, int(fp.wrap_int32(np.int64(fp.INT32_MIN + output.zero_point)))), high


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: ReluParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        np.copyto(out, np.where(x < 0, np.float32(0), x))
    elif params.table.size:
        lut.take_int8(params.table, x, out)
    else:
        out[...] = relu_quantized(params, x.astype(np.int64))


def relu_quantized(params: ReluParams, x: Int64Array) -> Int64Array:
    """``max(requantise(x - zero) + zero, zero)``, saturated."""
    scaled = fp.multiply_by_quantized_multiplier(
        x - params.input_offset, params.output_multiplier, params.output_shift
    )
    scaled += params.output_offset
    return np.clip(scaled, params.activation_min, params.activation_max)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("ReluOpData", ("enum",) + ("int32",) * 5 + ("int",))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    constraints=(
        *c.one_to_one(FLOAT32, INT8, INT16),
        int16_is_symmetric,
    ),
)

TRAITS = Traits(
    values="function",
    channels="same",
    exact_on_floats=True,
    elementwise=True,
    clamps=True,
    saturation=Saturation(0.0),
)

SCHEME = Scheme(fused=util.Activation.RELU)

CASES = unary_cases("RELU")
