"""What kernels with vectors have in common: their header, streams of constants, fours of filters.

One stream of constants is read in order: for every four filters their first sums, their weights,
multipliers, addends, and steps where signs matter; see
:mod:`arenite.firmware.kernels.cortex_m.requantize`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arenite.firmware.c_text import fill
from arenite.firmware.kernels.cortex_m.gemm import QUAD, quads
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, Words, words

Int32s = npt.NDArray[np.int32]
#: Bytes of a vector.
LANES = 16

VECTORS_H = """\
/* Vectors of four sums: requantised, clamped, stored as bytes. */
#ifndef AR_VECTORS_H
#define AR_VECTORS_H

#include <arm_mve.h>
#include <stdint.h>

#define AR_ALWAYS __attribute__((always_inline))

static inline AR_ALWAYS int32x4_t ar_vector(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32x4_t sums = vdupq_n_s32(a);
  sums = vsetq_lane_s32(b, sums, 1);
  sums = vsetq_lane_s32(c, sums, 2);
  return vsetq_lane_s32(d, sums, 3);
}

/* What requantises four filters' sums: in registers, as a store might change what is in memory. */
typedef struct {
  int32x4_t multiplier, addend, step;
} ar_vector_how;

static inline AR_ALWAYS ar_vector_how ar_vector_rising_how(const int32_t *constants) {
  const int32x4_t multiplier = vld1q_s32(constants), addend = vld1q_s32(constants + 4);
  return (ar_vector_how){multiplier, addend, addend};
}

static inline AR_ALWAYS ar_vector_how ar_vector_signed_how(const int32_t *constants) {
  ar_vector_how how = ar_vector_rising_how(constants);
  how.step = vld1q_s32(constants + 8);
  return how;
}

/* Sums times their multipliers, plus addends, shifted to the right. */
static inline AR_ALWAYS int32x4_t ar_vector_rising(int32x4_t sums, ar_vector_how how,
                                                   int32_t right) {
  return vshlq_r_s32(vaddq_s32(vmulhq_s32(sums, how.multiplier), how.addend), -right);
}

/* The same of sums times 256, less a step for negative ones. */
static inline AR_ALWAYS int32x4_t ar_vector_signed(int32x4_t sums, ar_vector_how how,
                                                   int32_t right) {
  const int32x4_t wide = vshlq_n_s32(sums, 8);
  const int32x4_t step = vandq_s32(how.step, vshrq_n_s32(wide, 31));
  const int32x4_t high = vmulhq_s32(wide, how.multiplier);
  return vshlq_r_s32(vsubq_s32(vaddq_s32(high, how.addend), step), -right);
}

static inline AR_ALWAYS void ar_vector_store(int8_t *to, int32x4_t v, int32_t low, int32_t high,
                                             int32_t count) {
  v = vmaxq_s32(vminq_s32(v, vdupq_n_s32(high)), vdupq_n_s32(low));
  if (count >= 4)
    vstrbq_s32(to, v);
  else
    vstrbq_p_s32(to, v, vctp32q((uint32_t)count));
}

/* Some bytes, up to a vector's. */
static inline AR_ALWAYS void ar_vector_copy(int8_t *to, const int8_t *from, int32_t bytes) {
  for (; bytes > 0; bytes -= 16, to += 16, from += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)bytes);
    vstrbq_p_s8(to, vldrbq_z_s8(from, some), some);
  }
}

static inline AR_ALWAYS void ar_vector_fill(int8_t *to, int8_t value, int32_t bytes) {
  for (; bytes > 0; bytes -= 16, to += 16)
    vstrbq_p_s8(to, vdupq_n_s8(value), vctp8q((uint32_t)bytes));
}

#endif
"""


def pack(bias: Int64s, how: Requantization, weights: Sequence[npt.NDArray[np.int8]]) -> Int32s:
    """The stream of all filters, of which ``weights`` has those of each four of :func:`quads`.

    Raises:
        UnsupportedError: A channel has no constants.
    """
    parts: list[Words] = []
    for filters, own in zip(quads(len(bias)), weights, strict=True):
        if how.signed:
            constants = [how.constants(channel, 256, whole=True) for channel in filters]
        else:
            constants = [how.constants(channel, 1) for channel in filters]
        first = (
            0 if how.constant[channel] else int(bias[channel]) + one.bias
            for channel, one in zip(filters, constants, strict=True)
        )
        parts += [words(list(first)), np.ascontiguousarray(own).reshape(-1).view("<u4")]
        columns = zip(*((one.multiplier, one.addend, one.step) for one in constants), strict=True)
        parts += [words(column) for column in list(columns)[: 3 if how.signed else 2]]
    return np.concatenate(parts).astype(np.uint32).view(np.int32)


def without_constants(weights: Int64s, how: Requantization) -> npt.NDArray[np.int8]:
    """Weights, filter by filter, 0 where outputs never change."""
    shape = (-1,) + (1,) * (weights.ndim - 1)
    return np.where(how.constant.reshape(shape), 0, weights).astype(np.int8)


def place(name: str, filters: int) -> str:
    """C for where a four begins, the last of which may begin with some that were done before."""
    last = filters - QUAD
    return name if last <= 0 or not filters % QUAD else f"({name} < {last} ? {name} : {last})"


def finish(filters: int, how: Finish) -> dict[str, str | int]:
    """What templates call the end of a four: ``$requantize``, ``$store`` and numbers."""
    values = {"low": how.low, "high": how.high, "count": min(filters, QUAD)}
    return {
        "requantize": "ar_vector_signed" if how.signed else "ar_vector_rising",
        "right": how.k if how.signed else how.k - 8,
        "limits": fill("$low, $high, $count", **values),
        "constants": 12 if how.signed else 8,
        "filters": filters,
        "place": place("four", filters),
    }
