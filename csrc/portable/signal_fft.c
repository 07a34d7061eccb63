/* SignalRfft and SignalIrfft: int16, int32 and float32. */
#include "records/fft.h"
#include "signal.h"

enum { MOST_FACTORS = 32, MOST_POINTS = 1 << 20 };

typedef struct {
  int64_t half;                /* points of the complex transform */
  int64_t tables, real_tables; /* byte offsets */
  int64_t bytes;
  int32_t stages, is_inverse;
  int32_t factors[MOST_FACTORS];
} ar_fft_plan;

static inline int16_t ar_int16_fft_of_bits(int32_t bits) { return (int16_t)bits; }
static inline int32_t ar_int32_fft_of_bits(int32_t bits) { return bits; }
static inline float ar_float_fft_of_bits(int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#define AR_REAL int16_t
#define AR_WIDE int32_t
#define AR_UNSIGNED uint32_t
#define AR_BITS 16
#define AR_FFT(name) ar_int16_fft_##name
#include "fft_type.h"

#define AR_REAL int32_t
#define AR_WIDE int64_t
#define AR_UNSIGNED uint64_t
#define AR_BITS 32
#define AR_FFT(name) ar_int32_fft_##name
#include "fft_type.h"

#define AR_REAL float
#define AR_WIDE float
#define AR_BITS 0
#define AR_FFT(name) ar_float_fft_##name
#include "fft_type.h"

/* Whether the radixes make up half of the length, and the tables are as long as they must be. */
static int describe_tables(const FftParams *p, ar_fft_plan *plan) {
  const int64_t half = p->length / 2;
  if (p->length < 4 || p->length % 2 || p->length > MOST_POINTS) return 0;
  if (p->factors.count < 1 || p->factors.count > MOST_FACTORS) return 0;
  if (p->twiddles.count < 2 * half || p->real_twiddles.count < half / 2 * 2) return 0;
  int64_t points = 1, numbers = 0;
  for (int64_t stage = p->factors.count - 1; stage >= 0; --stage) {
    const int32_t radix = p->factors.data[stage];
    if (radix < 2 || radix > 5) return 0;
    numbers += 2 * (radix - 1) * points + 4;
    points *= radix;
    if (points > half) return 0;
    plan->factors[stage] = radix;
  }
  const int64_t bytes = ar_element_bytes(p->type);
  plan->half = half;
  plan->stages = (int32_t)p->factors.count;
  plan->is_inverse = p->is_inverse;
  plan->tables = ((int64_t)sizeof *plan + 63) / 64 * 64;
  plan->real_tables = plan->tables + numbers * bytes;
  plan->bytes = plan->real_tables + half / 2 * 2 * bytes;
  return points == half;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const FftParams *p = params;
  ar_fft_plan plan;
  const int64_t pairs = (int64_t)p->length + 2;
  const int64_t read = p->is_inverse ? pairs : 1, written = p->is_inverse ? p->length : pairs;
  const int fits = AR_IS_ONE_OF(p->type, AR_INT16, AR_INT32, AR_FLOAT32) && io[0].type == p->type &&
                   io[1].type == p->type && p->input_size >= read &&
                   (p->is_inverse || p->input_size <= p->length) && p->output_size >= written &&
                   ar_elements(&io[1]) == ar_times(p->rows, p->input_size) &&
                   ar_elements(&io[0]) == ar_times(p->rows, p->output_size);
  if (!fits || !describe_tables(p, &plan)) return AR_UNSUPPORTED;
  sizes->plan = plan.bytes;
  sizes->workspace = 4 * plan.half * ar_element_bytes(p->type);
  return AR_OK;
}

static ar_status make_plan(const void *params, const ar_tensor *, void *memory) {
  const FftParams *p = params;
  ar_fft_plan *plan = memory;
  if (!describe_tables(p, plan)) return AR_UNSUPPORTED;
  switch (p->type) {
    case AR_INT16: ar_int16_fft_fill_tables(p, plan); break;
    case AR_INT32: ar_int32_fft_fill_tables(p, plan); break;
    default: ar_float_fft_fill_tables(p, plan);
  }
  return AR_OK;
}

static void run_row(const FftParams *p, const ar_fft_plan *plan, const void *x, void *y,
                    uint8_t *workspace) {
  switch (p->type) {
    case AR_INT16:
      if (p->is_inverse) ar_int16_fft_inverse(plan, x, y, workspace);
      else ar_int16_fft_forward(plan, x, p->input_size, y, workspace);
      break;
    case AR_INT32:
      if (p->is_inverse) ar_int32_fft_inverse(plan, x, y, workspace);
      else ar_int32_fft_forward(plan, x, p->input_size, y, workspace);
      break;
    default:
      if (p->is_inverse) ar_float_fft_inverse(plan, x, y, workspace);
      else ar_float_fft_forward(plan, x, p->input_size, y, workspace);
  }
}

static ar_status run(const void *params, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  const FftParams *p = params;
  const int64_t bytes = ar_element_bytes(p->type);
  const int64_t written = p->is_inverse ? p->length : (int64_t)p->length + 2;
  for (int64_t row = 0; row < p->rows; ++row) {
    const uint8_t *x = (const uint8_t *)io[1].data + row * p->input_size * bytes;
    uint8_t *y = (uint8_t *)io[0].data + row * p->output_size * bytes;
    run_row(p, plan, x, y, workspace);
    memset(y + written * bytes, 0, (size_t)((p->output_size - written) * bytes));
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalRfft, measure, make_plan, run)
AR_PORTABLE_KERNEL(SignalIrfft, measure, make_plan, run)
