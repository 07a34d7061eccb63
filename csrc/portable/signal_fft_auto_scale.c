/* SignalFftAutoScale: int16 shifted to the left as far as they go. */
#include "signal.h"

enum { Y, BITS, X };

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  const int fits =
      io[Y].type == AR_INT16 && ar_alike(&io[Y], &io[X]) && ar_is_number(&io[BITS], AR_INT32);
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* The largest magnitude in 16 bits: that of -32768 is -32768, and what comes next is larger. */
static int32_t largest_in_order(const int16_t *x, int64_t n) {
  int32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t value = x[i];
    if (value > largest) largest = value;
    else if (-value > largest) largest = (int16_t)-value;
  }
  return largest;
}

static ar_status run(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const int16_t *x = io[X].data;
  int16_t *y = io[Y].data;
  const int64_t n = ar_elements(&io[X]);
  int16_t low = 0, high = 0;
  for (int64_t i = 0; i < n; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  int32_t largest = -low > high ? -low : high;
  if (low == INT16_MIN) largest = largest_in_order(x, n);
  const int32_t bits = largest > 0 ? ar_leading_zeros((uint32_t)largest) - 17 : 0;
  const int32_t factor = 1 << bits;
  for (int64_t i = 0; i < n; ++i) y[i] = (int16_t)(x[i] * factor);
  *(int32_t *)io[BITS].data = bits;
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFftAutoScale, measure, ar_plan_nothing, run)
