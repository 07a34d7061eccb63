"""L2_POOL_2D: the root of the mean of squares of every window, over the elements inside the image.

Facts: TFLM ``micro/kernels/l2_pool_2d.cc`` and ``reference/pooling.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import FLOAT32
from arenite.ops import Array, Context, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import activation_range, input_tensor, output_tensor
from arenite.ops.shared.pooling import (
    BUILTIN_DATA,
    Pool2DOptions,
    Pool2DParams,
    SlidingReduction,
    pool_with,
)
from arenite.ops.shared.window import window_of


def prepare(context: Context, node: Node) -> Pool2DParams:
    """Geometry, output shape, bounds of the activation."""
    options: Pool2DOptions = node.options
    output, inp = output_tensor(context, node), input_tensor(context, node, 0)
    filter_size = (options.filter_height, options.filter_width)
    window = window_of(context, options, inp.shape, filter_size)
    # TFLM moves the output's dimensions to the arena to write them.
    context.reserve_persistent_buffer(4 * (1 + len(output.shape)), "output dimensions")
    shape = (inp.shape[0], *window.output_size, inp.shape[3])
    context.resize_tensor(output.index, shape, "replaced")
    low, high = activation_range(options.fused_activation_function)
    return Pool2DParams(window, low, high)


class L2Pool:
    """``out = clamp(sqrt(sum of squares / count))``."""

    def __init__(self, params: Pool2DParams, x: Array) -> None:
        self._low, self._high = params.activation_min, params.activation_max
        self._sums = SlidingReduction(params.window, x, np.float32, 0, np.add)
        counts = SlidingReduction(params.window, x[:1, :, :, :1], np.float32, 0, np.add)
        self._count = counts(np.ones((1, *x.shape[1:3], 1), np.float32)).copy()

    def __call__(self, x: Array, out: Array) -> None:
        """Pool ``x`` (n, h, w, c) to ``out``."""
        means = self._sums(x * x) / self._count
        np.clip(np.sqrt(means), self._low, self._high, out=out)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=pool_with(L2Pool),
    options=Pool2DOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(*c.one_to_one(FLOAT32), c.rank(0, 4), c.output_rank(4)),
)
