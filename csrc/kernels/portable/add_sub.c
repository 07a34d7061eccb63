/* ADD and SUB of tensors of one shape: int8, int16, int32, float32. */
#include "../fixedpoint.h"
#include "name.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  (void)params, (void)sizes;
  const ar_tensor *y = &io[0], *a = &io[1], *b = &io[2];
  if (a->type != y->type || b->type != y->type) return AR_UNSUPPORTED;
  if (y->type != AR_INT8 && y->type != AR_INT16 && y->type != AR_INT32 && y->type != AR_FLOAT32)
    return AR_UNSUPPORTED;
  if (a->rank != b->rank || ar_elements(a) != ar_elements(y)) return AR_UNSUPPORTED;
  for (int32_t i = 0; i < a->rank; ++i)
    if (a->dims[i] != b->dims[i]) return AR_UNSUPPORTED;
  return AR_OK;
}

static int32_t quantized(const AddSubParams *p, int32_t a, int32_t b) {
  int32_t scaled1 = ar_multiply_by_quantized_multiplier(
      (int32_t)((uint32_t)(a + p->input1_offset) << p->left_shift), p->input1_multiplier,
      p->input1_shift);
  int32_t scaled2 = ar_multiply_by_quantized_multiplier(
      (int32_t)((uint32_t)(b + p->input2_offset) << p->left_shift), p->input2_multiplier,
      p->input2_shift);
  uint32_t total = p->sign > 0 ? (uint32_t)scaled1 + (uint32_t)scaled2
                               : (uint32_t)scaled1 - (uint32_t)scaled2;
  int32_t scaled = ar_multiply_by_quantized_multiplier((int32_t)total, p->output_multiplier,
                                                       p->output_shift);
  return ar_clamp((int32_t)((uint32_t)scaled + (uint32_t)p->output_offset),
                  (int32_t)p->activation_min, (int32_t)p->activation_max);
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)plan, (void)workspace;
  const AddSubParams *p = opaque;
  const int64_t count = ar_elements(&io[0]);
  if (io[0].type == AR_INT8) {
    const int8_t *a = io[1].data, *b = io[2].data;
    int8_t *y = io[0].data;
    for (int64_t i = 0; i < count; ++i) y[i] = (int8_t)quantized(p, a[i], b[i]);
  } else if (io[0].type == AR_INT16) {
    const int16_t *a = io[1].data, *b = io[2].data;
    int16_t *y = io[0].data;
    for (int64_t i = 0; i < count; ++i) y[i] = (int16_t)quantized(p, a[i], b[i]);
  } else if (io[0].type == AR_INT32) {
    const uint32_t *a = io[1].data, *b = io[2].data;
    const int32_t low = (int32_t)p->activation_min, high = (int32_t)p->activation_max;
    int32_t *y = io[0].data;
    for (int64_t i = 0; i < count; ++i)
      y[i] = ar_clamp((int32_t)(p->sign > 0 ? a[i] + b[i] : a[i] - b[i]), low, high);
  } else {
    const float *a = io[1].data, *b = io[2].data;
    const float low = (float)p->activation_min, high = (float)p->activation_max;
    float *y = io[0].data;
    for (int64_t i = 0; i < count; ++i) {
      float total = p->sign > 0 ? a[i] + b[i] : a[i] - b[i];
      total = total < low ? low : total;
      y[i] = high < total ? high : total;
    }
  }
  return AR_OK;
}

const ar_kernel AR_NAME(add) = {"ADD", measure, ar_plan_nothing, run};
const ar_kernel AR_NAME(sub) = {"SUB", measure, ar_plan_nothing, run};
