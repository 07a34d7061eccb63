"""CUMSUM: running sums along an axis.

Sums of int8 have 19 bits behind the point, and start at minus the input's zero point instead of 0.

Undefined in TFLM: sums of int8 that leave int32. Here they wrap, as in TFLM's package.

Facts: TFLM ``micro/kernels/cumsum.cc`` and ``reference/cumsum.h``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT32
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import COMPUTES_INT8, Array, Context, Node, Registration, Struct, TfLiteTensor
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.copy import positive_axis


class CumsumOptions(OptionsTable, union=102):
    """``table CumsumOptions``: sums without the element itself; from the end."""

    exclusive: bool = slot(0, "bool", False)
    reverse: bool = slot(1, "bool", False)


@dataclass(frozen=True)
class CumsumParams:
    """The axis, -1 where input 1 is no constant, and how a sum of int8 becomes an output."""

    axis: int
    exclusive: bool
    reverse: bool
    input_zero_point: int = 0
    output_zero_point: int = 0
    multiplier: int = 0
    shift: int = 0


OP_DATA = Struct("OpData", ("int32",) * 6 + ("int",) * 3)
#: Bits behind the point of a sum: TFLM shifts inputs by 20 and halves them.
_FRACTION = 19


def has_dimensions(node: c.NodeView) -> bool:
    """Input 0 has at least 1 dimension."""
    return len(node.input(0).shape) > 0


def prepare(context: Context, node: Node) -> CumsumParams:
    """Axis, the output's shape, and for int8 the requantisation."""
    options: CumsumOptions = node.options
    inp, axis = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
    output = util.output_tensor(context, node)
    context.resize_tensor(output.index, inp.shape, "refused")
    place = -1
    if axis.data is not None:
        place = positive_axis(context, int(axis.data.reshape(-1)[0]), len(inp.shape))
    if inp.type is FLOAT32:
        return CumsumParams(place, options.exclusive, options.reverse)
    context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)
    multiplier, shift = _requantization(context, inp, output)
    return CumsumParams(
        place,
        options.exclusive,
        options.reverse,
        inp.zero_point,
        output.zero_point,
        multiplier,
        shift,
    )


def _requantization(context: Context, inp: TfLiteTensor, output: TfLiteTensor) -> tuple[int, int]:
    divisor = 2 ** (_FRACTION + 1) * output.scale
    ratio = 2 * inp.scale / divisor if divisor else math.inf
    return util.requantization_below_one(context, ratio, "input / 2**19 / output")


def invoke(context: Context, node: Node) -> None:
    """Sum up, in order."""
    params: CumsumParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    axis = params.axis
    if axis < 0:
        axis = positive_axis(
            context, int(util.input_array(context, node, 1).reshape(-1)[0]), x.ndim
        )
    is_float = x.dtype == np.float32
    terms = x if is_float else x.astype(np.int64) - params.input_zero_point
    with np.errstate(all="ignore"):
        sums = running_sums(terms, axis, exclusive=params.exclusive, reverse=params.reverse)
    out[...] = sums if is_float else requantize(params, sums)


def running_sums(x: Array, axis: int, *, exclusive: bool, reverse: bool) -> Array:
    """The sums of the elements up to each one along an axis, in the type of ``x``."""
    terms = np.moveaxis(x, axis, 0)[:: -1 if reverse else 1]
    sums = np.zeros_like(terms)
    if exclusive:
        np.add.accumulate(terms[:-1], 0, out=sums[1:])
    else:
        np.add.accumulate(terms, 0, out=sums)
    return np.moveaxis(sums[:: -1 if reverse else 1], 0, axis)


def requantize(params: CumsumParams, sums: Array) -> Array:
    """Outputs of sums of ``x - zero_point``."""
    total = wrap_int32((sums - params.input_zero_point) << _FRACTION)
    scaled = multiply_by_quantized_multiplier(total, params.multiplier, params.shift)
    return np.clip(wrap_int32(scaled + params.output_zero_point), -128, 127)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=CumsumOptions,
    builtin_data=Struct("TfLiteCumsumParams", ("bool", "bool")),
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8),
        c.input_types(1, INT32),
        c.same_type(),
        has_dimensions,
        c.one_number(1, "axis"),
    ),
)

SCHEME = COMPUTES_INT8
