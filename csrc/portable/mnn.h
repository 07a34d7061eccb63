/* What the operators of .mnn files share: from real numbers to int8, as MNN rounds. */
#pragma once

#include <stdint.h>

/* Clamped; what is no number becomes `high`, which is not less than `low`. */
static inline float ar_mnn_clamped(float x, float low, float high) {
  x = x < high ? x : high;
  return x > low ? x : low;
}

/* To nearest, halves away from zero; |x| < 2^31. */
static inline int32_t ar_mnn_rounded(float x) { return (int32_t)(x + (x < 0.0f ? -0.5f : 0.5f)); }
