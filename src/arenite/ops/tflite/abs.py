"""ABS: every element without its sign.

int16 without quantisation wraps: the magnitude of -32768 is -32768. The ratio of two scales is
that of doubles, as in TFLM's package; newer sources divide floats.

Undefined in TFLM: the output of a model with a scale of 0, so that the scales' ratio is no
number. Here it is the output's zero point, as in TFLM's package.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from arenite.model.types import FLOAT32, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Array, Int64Array
from arenite.ops import COMPUTES, Context, Node, Registration, Traits
from arenite.ops import kernel_util as util
from arenite.ops.shared.abs_rsqrt import CONSTRAINTS, OP_DATA
from arenite.ops.shared.binary import is_quantized
from arenite.ops.shared.overlap import element_by_element


@dataclass(frozen=True)
class AbsParams:
    """Requantisation of magnitudes, and for int8 the results for all inputs.

    Without ``rescales`` the scales are equal, and magnitudes stay as they are; without
    ``is_quantized`` they are not even clamped.
    """

    is_quantized: bool = False
    rescales: bool = False
    input_offset: int = 0
    output_offset: int = 0
    multiplier: int = 0
    shift: int = 0
    low: int = 0
    high: int = 0
    table: Array = field(default_factory=lut.no_table)


def prepare(context: Context, node: Node) -> AbsParams:
    """The output's shape and the rescaling; for int8 the results for all 256 inputs."""
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32 or not is_quantized(inp):
        return AbsParams()
    multiplier, shift = 0, 0
    rescales = inp.scale != output.scale
    if rescales:
        ratio = util.scale_ratio(inp.scale, output.scale)
        multiplier, shift = util.requantization(context, ratio, "input / output")
    low, high = util.QUANTIZED_RANGE[inp.type]
    params = AbsParams(
        is_quantized=True,
        rescales=rescales,
        input_offset=inp.zero_point,
        output_offset=output.zero_point,
        multiplier=multiplier,
        shift=shift,
        low=low,
        high=high,
    )
    if inp.type is INT16:
        return params
    return replace(params, table=lut.table_int8(lambda x: abs_quantized(params, x)))


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: AbsParams = node.params
    out = util.output_array(context, node)
    x = util.input_array(context, node, 0).reshape(out.shape)
    if not params.is_quantized:
        np.abs(x, out=out)
    elif params.table.size:
        lut.take_int8(params.table, x, out)
    else:
        out[...] = abs_quantized(params, x.astype(np.int64))


def abs_quantized(params: AbsParams, x: Int64Array) -> Int64Array:
    """``requantise(|x - zero|) + zero``, saturated."""
    value: Int64Array = np.abs(x - params.input_offset)
    if params.rescales:
        value = fp.multiply_by_quantized_multiplier(value, params.multiplier, params.shift)
    return np.clip(fp.wrap_int32(value + params.output_offset), params.low, params.high)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    constraints=CONSTRAINTS,
)

TRAITS = Traits(values="function", channels="same", exact_on_floats=True, elementwise=True)

SCHEME = COMPUTES
