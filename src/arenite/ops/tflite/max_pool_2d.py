"""MAX_POOL_2D: the largest element of every window.

Undefined in TFLM: a fused activation of integers whose scale is 0, or so small that a bound is no
int32. TFLM goes on with bounds that it never sets: what the arena held before. This is refused.

Facts: TFLM ``micro/kernels/pooling.cc``, ``reference/pooling.h`` and
``reference/integer_ops/pooling.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops import MOVES, Array, Traits
from arenite.ops.kernel_util import FLOAT32_LOWEST
from arenite.ops.shared.cases import pooling_cases
from arenite.ops.shared.pooling import Pool2DOptions, Pool2DParams, SlidingReduction, pooling


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


REGISTRATION = pooling(MaxPool)

TRAITS = Traits(
    values="rising",
    channels="same",
    fuses_clamp=True,
    drawn="pool",
    compiled="TFLM ignores a fused TANH, Vela does not",
)

SCHEME = MOVES

CASES = pooling_cases("MAX_POOL_2D", Pool2DOptions)
