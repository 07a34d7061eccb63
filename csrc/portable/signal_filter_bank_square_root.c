/* SignalFilterBankSquareRoot: rounded roots of uint64. */
#include <math.h>

#include "signal.h"

enum { X = 1, SHIFT };

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  const int fits = io[0].type == AR_UINT32 && io[X].type == AR_UINT64 &&
                   ar_elements(&io[0]) == ar_elements(&io[X]) && ar_is_number(&io[SHIFT], AR_INT32);
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* The nearest integer, at most the largest of half of the number's 32 or 64 bits. */
static inline uint32_t rounded_root(uint64_t x) {
  const uint64_t limit = x >> 32 ? UINT32_MAX : UINT16_MAX;
  double near = sqrt((double)x);
  if (near > (double)limit) near = (double)limit;
  uint64_t root = (uint64_t)near;
  if (root * root > x) --root; /* a double is a little inexact */
  if (root < limit && x - root * root > 2 * root) ++root;
  return (uint32_t)(root + (root < limit && x - root * root > root));
}

static ar_status run(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const uint64_t *x = io[X].data;
  uint32_t *y = io[0].data;
  const int64_t n = ar_elements(&io[0]);
  const uint32_t shift = *(const uint32_t *)io[SHIFT].data & 31;
  for (int64_t i = 0; i < n; ++i) y[i] = rounded_root(x[i]) >> shift;
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFilterBankSquareRoot, measure, ar_plan_nothing, run)
