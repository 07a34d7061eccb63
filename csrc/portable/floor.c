/* FLOOR_DIV and FLOOR_MOD of float32 tensors that broadcast. */
#include <math.h>

#include "broadcast.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *sizes) {
  if (io[0].type != AR_FLOAT32) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

static inline float floor_of_quotient(const ar_no_params *, float a, float b) {
  return (float)floor((double)a / (double)b);
}

AR_BINARY(divide, float, ar_no_params, floor_of_quotient)

/* A divisor of 0 is Python's to refuse. */
static ar_status floor_div(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  const float *b = io[2].data;
  int has_zero = 0;
  for (int64_t i = 0, n = ar_elements(&io[2]); i < n; ++i) has_zero |= b[i] == 0.0f;
  if (has_zero) return AR_BAD_ARGUMENT;
  divide(plan, &(ar_no_params){0}, io);
  return AR_OK;
}

/* Quotients under 2^28 are rounded towards zero without error in double precision, and their
 * product with the divisor is exact: it has 52 bits. NaN stands for all others. */
static inline float remainder_of_small_quotient(float a, float b) {
  const double quotient = (double)a / (double)b;
  const int fits = quotient > -268435456.0 && quotient < 268435456.0;
  const double whole = (double)(int32_t)(fits ? quotient : 0.0);
  const double remainder = (double)a - whole * (double)b;
  return fits ? (float)remainder : NAN;
}

static inline float with_sign_of_divisor(float remainder, float b) {
  const int moves = (remainder != 0.0f) & ((b < 0.0f) != (remainder < 0.0f));
  return moves ? remainder + b : remainder;
}

enum { BLOCK = 64 };

/* Where the fast way leads to a NaN in a block, fmodf() does that again. */
static void modulo_row(const ar_no_params, const float *a, const float *b, float *y, int64_t n,
                       int64_t step0, int64_t step1) {
  float x[BLOCK], z[BLOCK], remainder[BLOCK];
  for (int64_t done = 0; done < n; done += BLOCK) {
    const int64_t count = n - done < BLOCK ? n - done : BLOCK;
    for (int64_t i = 0; i < count; ++i) x[i] = step0 ? a[done + i] : *a;
    for (int64_t i = 0; i < count; ++i) z[i] = step1 ? b[done + i] : *b;
    int is_nan = 0;
    for (int64_t i = 0; i < count; ++i) {
      remainder[i] = remainder_of_small_quotient(x[i], z[i]);
      is_nan |= remainder[i] != remainder[i];
    }
    if (is_nan)
      for (int64_t i = 0; i < count; ++i) remainder[i] = fmodf(x[i], z[i]);
    for (int64_t i = 0; i < count; ++i) y[done + i] = with_sign_of_divisor(remainder[i], z[i]);
  }
}

AR_BINARY_BY_ROWS(modulo, float, float, float, ar_no_params)

static ar_status floor_mod(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  modulo(plan, &(ar_no_params){0}, io);
  return AR_OK;
}

AR_PORTABLE_KERNEL(FLOOR_DIV, measure, ar_plan_binary, floor_div)
AR_PORTABLE_KERNEL(FLOOR_MOD, measure, ar_plan_binary, floor_mod)
