/* SignalPCAN: gains from a table of parabolas, which may end before a number: checked when used. */
#include "records/signal_pcan.h"
#include "signal.h"

enum { X = 1, NOISE, TABLE, SNR_BITS = 12, OUTPUT_BITS = 6 };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalPcanParams *p = params;
  const int fits = io[0].type == AR_UINT32 && ar_alike(&io[0], &io[X]) &&
                   io[NOISE].type == AR_UINT32 && io[TABLE].type == AR_INT16 &&
                   ar_elements(&io[NOISE]) >= ar_elements(&io[X]) && p->snr_shift >= 0 &&
                   p->snr_shift <= 63;
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* Where the parabola of a number above 2 begins in the table. */
static inline int32_t parabola_of(uint32_t x) { return 4 * (32 - ar_leading_zeros(x)) - 6; }

static inline int16_t on_parabola(uint32_t x, const int16_t *table) {
  const int32_t bits = 32 - ar_leading_zeros(x);
  const int32_t fraction = (int32_t)(((uint64_t)x << 11) >> bits) & 0x3FF;
  const int32_t bent = ((table[2] * fraction) >> 5) + table[1] * 32;
  return (int16_t)(((bent * fraction + (1 << 14)) >> 15) + table[0]);
}

/* x^2 / 4 below 2, x - 1 from there on: both, since which of them is up to chance. */
static inline uint32_t shrink(uint32_t x) {
  const uint32_t small = (x * x) >> (2 + 2 * SNR_BITS - OUTPUT_BITS);
  const uint32_t large = (x >> (SNR_BITS - OUTPUT_BITS)) - (1u << OUTPUT_BITS);
  return x < 2u << SNR_BITS ? small : large;
}

/* Whether the table has all that the numbers ask for. */
static int has_all(const uint32_t *noise, int64_t n, int64_t size) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = noise[i] > largest ? noise[i] : largest;
  return (largest <= 2 ? (int32_t)largest : parabola_of(largest) + 2) < size;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalPcanParams *p = params;
  const uint32_t *x = io[X].data, *noise = io[NOISE].data;
  const int16_t *table = io[TABLE].data;
  uint32_t *y = io[0].data;
  const int64_t n = ar_elements(&io[0]), size = ar_elements(&io[TABLE]);
  if (n > 0 && !has_all(noise, n, size)) return AR_UNSUPPORTED;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t level = noise[i];
    const int16_t gain = level <= 2 ? table[level] : on_parabola(level, table + parabola_of(level));
    y[i] = shrink((uint32_t)(((uint64_t)x[i] * (uint32_t)gain) >> p->snr_shift));
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalPCAN, measure, ar_plan_nothing, run)
