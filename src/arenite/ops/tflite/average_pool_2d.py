"""AVERAGE_POOL_2D: the mean of every window, over the elements inside the image.

Undefined in TFLM: a fused activation of integers whose scale is 0, or so small that a bound is no
int32. TFLM goes on with bounds that it never sets: what the arena held before. This is refused.

Facts: TFLM ``micro/kernels/pooling.cc``, ``reference/pooling.h`` and
``reference/integer_ops/pooling.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops import MOVES, Array, Traits
from arenite.ops.shared.cases import pooling_cases
from arenite.ops.shared.pooling import Pool2DOptions, Pool2DParams, SlidingReduction, pooling


class AveragePool:
    """``out = clamp(sum / count)``; integers round to nearest, halves away from zero."""

    def __init__(self, params: Pool2DParams, x: Array) -> None:
        self._low, self._high = params.activation_min, params.activation_max
        self._sums = SlidingReduction(params.window, x, np.float64, 0, np.add)
        counts = SlidingReduction(params.window, x[:1, :, :, :1], np.float64, 0, np.add)
        self._count = counts(np.ones((1, *x.shape[1:3], 1)))
        self._half = self._count // 2 if x.dtype.kind == "i" else None

    def __call__(self, x: Array, out: Array) -> None:
        """Pool ``x`` (n, h, w, c) to ``out``."""
        total = self._sums(x)
        if self._half is not None:
            total += np.copysign(self._half, total)
        total /= self._count
        total.clip(self._low, self._high, out=total)
        # C's division of integers, and so this cast, cuts towards zero.
        np.copyto(out, total, casting="unsafe")


REGISTRATION = pooling(AveragePool)

TRAITS = Traits(
    values="rising",
    channels="same",
    fuses_clamp=True,
    drawn="pool",
    compiled="TFLM ignores a fused TANH, Vela does not",
)

SCHEME = MOVES

CASES = pooling_cases("AVERAGE_POOL_2D", Pool2DOptions)
