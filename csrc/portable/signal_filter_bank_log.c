/* SignalFilterBankLog: logarithms of uint32 from a table of their fractions. */
#include "records/signal_filter_bank_log.h"
#include "signal.h"

enum { FRACTION_BITS = 16, SEGMENT_SHIFT = 9, SEGMENTS = 128, LN_2 = 45426 };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalFilterBankLogParams *p = params;
  const int fits = io[0].type == AR_INT16 && io[1].type == AR_UINT32 &&
                   ar_elements(&io[0]) == ar_elements(&io[1]) && p->input_correction_bits >= 0 &&
                   p->input_correction_bits <= 31 &&
                   ar_are_places(p->bulges, SEGMENTS + 1, 1 << FRACTION_BITS);
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* scale * ln(x) of x > 0, modulo 2^16. */
static inline uint32_t scaled_log(uint32_t x, uint32_t scale, const int32_t *bulges) {
  const int32_t whole = 31 - __builtin_clz(x);
  const int32_t fraction =
      (int32_t)(((uint64_t)(x - (UINT32_C(1) << whole)) << FRACTION_BITS) >> whole);
  const int32_t segment = fraction >> SEGMENT_SHIFT;
  const int32_t low = bulges[segment], high = bulges[segment + 1];
  const int32_t inside = fraction - (segment << SEGMENT_SHIFT);
  const int32_t log_2 =
      (whole << FRACTION_BITS) + fraction + low + (((high - low) * inside) >> FRACTION_BITS);
  const uint32_t natural = (uint32_t)(((int64_t)LN_2 * log_2 + (1 << 15)) >> FRACTION_BITS);
  return (scale * natural + (1 << 15)) >> FRACTION_BITS;
}

/* All take the same way, so that compilers do many at once; the logarithm of 0 and 1 is 0. */
static void logarithms(const uint32_t *restrict x, int16_t *restrict y, int64_t n, uint32_t scale,
                       int32_t correction_bits, const int32_t *restrict bulges) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t shifted = x[i] << correction_bits;
    const uint32_t log = scaled_log(shifted > 1 ? shifted : 2, scale, bulges);
    const uint32_t result = shifted > 1 ? log : 0;
    y[i] = (int16_t)(result < INT16_MAX ? result : INT16_MAX);
  }
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalFilterBankLogParams *p = params;
  logarithms(io[1].data, io[0].data, ar_elements(&io[0]), (uint32_t)p->output_scale,
             p->input_correction_bits, p->bulges.data);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFilterBankLog, measure, ar_plan_nothing, run)
