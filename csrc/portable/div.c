/* DIV of tensors that broadcast: int8, int32, float32. */
#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/mul_div.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const MulDivParams *p = params;
  if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return AR_UNSUPPORTED;
  if (!ar_is_small(p->output_shift)) return AR_UNSUPPORTED;
  if (ar_rounds_once(p->output_shift) && !ar_is_rescale(p->output_shift)) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

/* Gemmlowp's rounding shift to the right. By numbers outside 0 .. 31 x86 shifts by their low bits,
 * Arm everything out. */
static inline int32_t shift_right(int32_t x, int32_t shift, int shifts_out) {
  if (shifts_out && (uint32_t)shift > 31) return x < 0 ? -1 : 1;
  const int32_t mask = (int32_t)(uint32_t)((UINT64_C(1) << (shift & 63)) - 1);
  const int32_t threshold = (mask >> 1) + (x < 0);
  return (x >> (shift & 31)) + ((x & mask) > threshold);
}

/* x * multiplier * 2^-(31 + shift), rounded once, halves up. The inverse of a divisor brings 0 to 20
 * and a dividend 10 to 31 to the shift, the output's scale -30 to 31. Of 64 bits and more Arm leaves
 * the sign: the half that is added is just that bit first, then none. */
static inline int32_t scale_once(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t total = 31 + shift;
  const int64_t product = (int64_t)x * multiplier;
  if (total > 63) return (product < 0) != (total == 64) ? -1 : 0;
  return (int32_t)((product + (INT64_C(1) << (total - 1))) >> total);
}

/* The divisor is not 0: run() has looked. An output that lies over the divisors may make one. */
static inline int8_t on_int8(const MulDivParams *p, int8_t a, int8_t b) {
  int32_t divisor = b + p->input2_offset, dividend = a + p->input1_offset;
  if (divisor == 0) divisor = 1;
  if (divisor < 0) divisor = -divisor, dividend = -dividend;
  int32_t inverse_bits;
  const int32_t inverse = ar_reciprocal(divisor, 31, &inverse_bits);
  const int32_t magnitude = dividend < 0 ? ~dividend : dividend;
  const int32_t headroom = ar_leading_zeros((uint32_t)magnitude) - 1;
  const int32_t quotient = ar_srdhm((int32_t)((uint32_t)dividend << headroom), inverse);
  const int32_t shift = inverse_bits + headroom - ar_bare_shift(p->output_shift);
  const int32_t scaled =
      ar_rounds_once(p->output_shift)
          ? scale_once(quotient, p->output_multiplier, shift)
          : shift_right(ar_srdhm(quotient, p->output_multiplier),
                        inverse_bits + headroom - p->output_shift, p->shifts_out);
  return (int8_t)ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                                 (int32_t)p->activation_max);
}

static inline int32_t on_int32(const MulDivParams *p, int32_t a, int32_t b) {
  const int64_t quotient = (int64_t)a / (b ? b : 1);
  const int64_t low = (int64_t)p->activation_min, high = (int64_t)p->activation_max;
  return (int32_t)(quotient < low ? low : quotient > high ? high : quotient);
}

static inline float on_float(const MulDivParams *p, float a, float b) {
  return ar_clamp_float(a / b, (float)p->activation_min, (float)p->activation_max);
}

AR_BINARY(run_int8, int8_t, MulDivParams, on_int8)
AR_BINARY(run_int32, int32_t, MulDivParams, on_int32)
AR_BINARY(run_float, float, MulDivParams, on_float)

static int has_zero_int8(const ar_tensor *b, int32_t zero) {
  const int8_t *data = b->data;
  for (int64_t i = 0, n = ar_elements(b); i < n; ++i)
    if (data[i] == zero) return 1;
  return 0;
}

static int has_zero_int32(const ar_tensor *b) {
  const int32_t *data = b->data;
  for (int64_t i = 0, n = ar_elements(b); i < n; ++i)
    if (data[i] == 0) return 1;
  return 0;
}

/* Whether INT32_MIN / -1, which has no int32, may occur: then Python's kernel says so. */
static int may_overflow(const ar_tensor *io) {
  const int32_t *a = io[1].data, *b = io[2].data;
  int lowest = 0, minus_one = 0;
  for (int64_t i = 0, n = ar_elements(&io[1]); i < n; ++i) lowest |= a[i] == INT32_MIN;
  for (int64_t i = 0, n = ar_elements(&io[2]); i < n; ++i) minus_one |= b[i] == -1;
  return lowest && minus_one;
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io, uint8_t *) {
  const MulDivParams *params = opaque;
  switch (io[0].type) {
    case AR_INT8:
      if (has_zero_int8(&io[2], -params->input2_offset)) return AR_BAD_ARGUMENT;
      run_int8(plan, params, io);
      break;
    case AR_INT32:
      if (has_zero_int32(&io[2]) || may_overflow(io)) return AR_BAD_ARGUMENT;
      run_int32(plan, params, io);
      break;
    default: run_float(plan, params, io);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(DIV, measure, ar_plan_binary, run)
