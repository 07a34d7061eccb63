"""SUM: the sum over some axes.

Of an empty input floats and integers alike become 0, whatever the zero point. Facts: TFLM
``micro/kernels/reduce_common.cc``, ``reduce.h`` and ``reference/reduce.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops import COMPUTES, Context, Node, Registration, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared import reduction


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: reduction.ReductionParams = node.params
    axes, x, out = reduction.operands(context, node, "sum")
    if x.size == 0:
        out[...] = 0
    elif x.dtype == np.float32:
        with np.errstate(all="ignore"):
            out[...] = reduction.float_sums(axes, x).reshape(out.shape)
    else:
        reduction.requantize_sums(params, axes, x, out, (params.multiplier, params.shift))


REGISTRATION = Registration(
    init=allocate_struct(reduction.OP_DATA),
    prepare=reduction.prepare,
    invoke=invoke,
    options=reduction.ReducerOptions,
    builtin_data=reduction.BUILTIN_DATA,
    constraints=reduction.CONSTRAINTS,
)

TRAITS = Traits(
    values="rising",
    channels="reduced",
    drawn="pool",
    compiled="Vela rounds once, halves up, where TFLM rounds twice: some values differ by a step",
)

SCHEME = COMPUTES
