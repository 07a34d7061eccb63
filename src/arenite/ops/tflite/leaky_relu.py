"""LEAKY_RELU: ``x`` where it is positive, else ``alpha * x``.

Facts: TFLM ``micro/kernels/leaky_relu.cc``, ``leaky_relu_common.cc`` and
``reference/leaky_relu.h``.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Array, Int64Array
from arenite.ops import COMPUTES, Context, Node, Registration, Struct, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.byte_tables import table_of
from arenite.ops.shared.overlap import element_by_element


class LeakyReluOptions(OptionsTable, union=75):
    """``table LeakyReluOptions``."""

    alpha: float = slot(0, "float32", 0.0)


@dataclass(frozen=True)
class LeakyReluParams:
    """Requantisation on both sides of zero, and for int8 the results for all inputs.

    ``multiplier_alpha`` is negative where alpha is. float32 needs alpha only.
    """

    alpha: float
    input_offset: int = 0
    output_offset: int = 0
    multiplier_alpha: int = 0
    shift_alpha: int = 0
    multiplier_identity: int = 0
    shift_identity: int = 0
    low: int = 0
    high: int = 0
    table: Array = field(default_factory=lut.no_table)


def prepare(context: Context, node: Node) -> LeakyReluParams:
    """Requantisation; for int8 the results for all 256 inputs."""
    alpha = float(np.float32(node.options.alpha))
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32:
        return LeakyReluParams(alpha)
    leak = util.scale_ratio(inp.scale * alpha, output.scale)
    identity = util.scale_ratio(inp.scale, output.scale)
    params = LeakyReluParams(
        alpha,
        inp.zero_point,
        output.zero_point,
        *util.requantization(context, leak, "input * alpha / output"),
        *util.requantization(context, identity, "input / output"),
        *util.QUANTIZED_RANGE[inp.type],
    )
    if inp.type is INT16:
        return params
    return replace(params, table=table_of("leaky_relu", in_numpy, *astuple(params)[1:7]))


def in_numpy(*numbers: int) -> npt.NDArray[np.int8]:
    """The results for all int8 values, from the record's second field to its seventh."""
    offset, output_offset, leak, leak_shift, identity, identity_shift = numbers
    offsets = (offset, output_offset)
    params = LeakyReluParams(
        0.0,  # which integers do not read
        *offsets,
        *(leak, leak_shift),
        *(identity, identity_shift),
        *util.QUANTIZED_RANGE[INT8],
    )
    return lut.table_int8(lambda x: leaky_relu_quantized(params, x))


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: LeakyReluParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        leaky_relu_float(params, x, out)
    elif params.table.size:
        lut.take_int8(params.table, x, out)
    else:
        out[...] = leaky_relu_quantized(params, x.astype(np.int64))


def leaky_relu_float(params: LeakyReluParams, x: Array, out: Array) -> None:
    """In float32; alpha may be negative or over 1."""
    with np.errstate(all="ignore"):
        out[...] = np.where(x > 0, x, x * np.float32(params.alpha))


def leaky_relu_quantized(params: LeakyReluParams, x: Int64Array) -> Int64Array:
    """Each side of zero has its own multiplier; a negative one works on its magnitude."""
    centred = x - params.input_offset
    identity = fp.multiply_by_quantized_multiplier(
        centred, params.multiplier_identity, params.shift_identity
    )
    leak = fp.multiply_by_quantized_multiplier(
        centred, abs(params.multiplier_alpha), params.shift_alpha
    )
    if params.multiplier_alpha < 0:
        leak = -leak
    result = fp.wrap_int32(np.where(centred >= 0, identity, leak) + params.output_offset)
    return np.clip(result, params.low, params.high)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("LeakyReluOpData", ("int32",) * 6)),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    options=LeakyReluOptions,
    builtin_data=Struct("TfLiteLeakyReluParams", ("float",)),
    constraints=c.one_to_one(FLOAT32, INT8, INT16),
)

TRAITS = Traits(values="function", channels="same", elementwise=True)

SCHEME = COMPUTES
