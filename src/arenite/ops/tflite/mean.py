"""MEAN: the arithmetic mean over some axes.

Undefined in TFLM: the mean of int8 or int16 whose scales' ratio is no number, as without any
quantisation. Here it is the output's zero point (0 without one), as in TFLM's package.

Facts: TFLM ``micro/kernels/reduce_common.cc``, ``reduce.h`` and ``reference/reduce.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import FLOAT32
from arenite.numeric.fixedpoint import bare_shift
from arenite.ops import COMPUTES, Array, Context, Node, NodeView, Registration, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared import reduction


def has_elements(node: NodeView) -> bool:
    """Input 0 has at least one element."""
    return node.input(0).size > 0


def at_most_four_float_axes(node: NodeView) -> bool:
    """Input 1 lists at most 4 axes if the input is float32."""
    return node.input(0).type is not FLOAT32 or node.input(1).size <= 4


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    axes, x, out = reduction.operands(context, node, "mean")
    if x.dtype == np.float32:
        return mean_float(axes, x, out)
    return mean_integer(node.params, axes, x, out)


def mean_integer(
    params: reduction.ReductionParams, axes: tuple[int, ...], x: Array, out: Array
) -> None:
    """``out = requantise(sum(x - zero_point) / count)``."""
    count = reduction.count_of(axes, x)
    # The multiplier takes up 1 / count with as many bits as the shift has room for.
    spare = min(count.bit_length() - 1, 32, 31 + int(bare_shift(params.shift)))
    multiplier = (params.multiplier << spare) // count
    reduction.requantize_sums(params, axes, x, out, (multiplier, params.shift - spare))


def mean_float(axes: tuple[int, ...], x: Array, out: Array) -> None:
    """The sum divided by the number of its terms, in float32."""
    with np.errstate(all="ignore"):
        sums = reduction.float_sums(axes, x).reshape(out.shape)
        np.divide(sums, np.float32(reduction.count_of(axes, x)), out=out)


REGISTRATION = Registration(
    init=allocate_struct(reduction.OP_DATA),
    prepare=reduction.prepare,
    invoke=invoke,
    options=reduction.ReducerOptions,
    builtin_data=reduction.BUILTIN_DATA,
    constraints=(*reduction.CONSTRAINTS, has_elements, at_most_four_float_axes),
)

TRAITS = Traits(
    values="rising",
    channels="reduced",
    drawn="pool",
    compiled="Vela divides by a reciprocal, and reads tensors of 5 dimensions in another order",
)

SCHEME = COMPUTES
