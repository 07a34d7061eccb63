/* ADD_N: the sum of tensors of one shape, in int8 or float32. */
#include <string.h>

#include "arithmetic/fixedpoint.h"
#include "name.h"
#include "records/add_n.h"

/* All operands, which end with AR_END, have to be there and alike. */
static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const AddNParams *p = params;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_FLOAT32) || p->inputs < 1) return AR_UNSUPPORTED;
  for (int32_t i = 1; i <= p->inputs; ++i)
    if (io[i].type != io[0].type || !ar_alike(&io[0], &io[i])) return AR_UNSUPPORTED;
  if (!ar_is_small(p->input_offset) || !ar_is_rescale(p->output_shift)) return AR_UNSUPPORTED;
  return p->left_shift >= 0 && p->left_shift <= 31 ? AR_OK : AR_UNSUPPORTED;
}

enum { BLOCK = 1024 };

/* A value on the scale of twice the input's. */
static inline uint32_t halved(const AddNParams *p, int32_t x) {
  return (uint32_t)((int32_t)((uint32_t)(x + p->input_offset) << p->left_shift) >> 1);
}

static inline void rescale(const int once, const AddNParams *p, const uint32_t *sum, int8_t *y,
                           int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t scaled = ar_scale(once, (int32_t)sum[i], p->output_multiplier, p->output_shift);
    y[i] = (int8_t)ar_clamp_offset(scaled, p->output_offset, p->output_min, p->output_max);
  }
}

static void add_int8(const AddNParams *p, const ar_tensor *io, int64_t start, int64_t count) {
  uint32_t sum[BLOCK];
  for (int64_t i = 0; i < count; ++i) sum[i] = halved(p, 0);
  for (int32_t k = 1; k <= p->inputs; ++k) {
    const int8_t *x = (const int8_t *)io[k].data + start;
    for (int64_t i = 0; i < count; ++i) sum[i] += halved(p, x[i]);
  }
  int8_t *y = (int8_t *)io[0].data + start;
  if (ar_rounds_once(p->output_shift)) rescale(1, p, sum, y, count);
  else rescale(0, p, sum, y, count);
}

static void add_float(const AddNParams *p, const ar_tensor *io, int64_t start, int64_t count) {
  float sum[BLOCK];
  for (int64_t i = 0; i < count; ++i) sum[i] = 0.0f;
  for (int32_t k = 1; k <= p->inputs; ++k) {
    const float *x = (const float *)io[k].data + start;
    for (int64_t i = 0; i < count; ++i) sum[i] += x[i];
  }
  memcpy((float *)io[0].data + start, sum, (size_t)count * sizeof *sum);
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t n = ar_elements(&io[0]);
  for (int64_t start = 0; start < n; start += BLOCK) {
    const int64_t count = n - start < BLOCK ? n - start : BLOCK;
    if (io[0].type == AR_INT8) add_int8(params, io, start, count);
    else add_float(params, io, start, count);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(ADD_N, measure, ar_plan_nothing, run)
