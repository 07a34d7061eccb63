"""MAX_POOL_2D: the largest element of every window.

Facts: TFLM ``micro/kernels/pooling.cc``, ``reference/pooling.h`` and
``reference/integer_ops/pooling.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops._pooling import (
    BUILTIN_DATA,
    CONSTRAINTS,
    OP_DATA,
    Pool2DOptions,
    Pool2DParams,
    SlidingReduction,
    prepare,
)
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import FLOAT32_LOWEST, allocate_struct, input_array, output_array
from arenite.ops.registry import Registration


class MaxPool:
    """``out = clamp(maximum)``; a NaN is never the largest, as C compares."""

    def __init__(self, params: Pool2DParams, x: Array) -> None:
        self._low, self._high = params.activation_min, params.activation_max
        if x.dtype.kind == "f":
            maxima = SlidingReduction(params.window, x, x.dtype, FLOAT32_LOWEST, np.fmax)
        else:
            lowest = int(np.iinfo(x.dtype).min)
            maxima = SlidingReduction(params.window, x, x.dtype, lowest, np.maximum)
        self._maxima = maxima

    def __call__(self, x: Array, out: Array) -> None:
        """Pool ``x`` (n, h, w, c) to ``out``."""
        np.clip(self._maxima(x), self._low, self._high, out=out)


def invoke(context: Context, node: Node) -> None:
    """Pool the input; the kernel's memory is kept."""
    x, out = input_array(context, node, 0), output_array(context, node)
    pool: MaxPool | None = node.host.get("pool")
    if pool is None:
        pool = node.host["pool"] = MaxPool(node.params, x)
    pool(x, out)


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=Pool2DOptions,
    builtin_data=BUILTIN_DATA,
    constraints=CONSTRAINTS,
)
