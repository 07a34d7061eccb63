/* ADD, SUB and SQUARED_DIFFERENCE: two inputs on the scale of twice the larger one. */
#pragma once

#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/add_sub.h"

static inline ar_status ar_measure_on_common_scale(const void *params, const ar_tensor *io,
                                                   ar_sizes *sizes) {
  const AddSubParams *p = params;
  if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return AR_UNSUPPORTED;
  if (!ar_is_rescale(p->input1_shift) || !ar_is_rescale(p->input2_shift) ||
      !ar_is_rescale(p->output_shift) || p->left_shift < 0 || p->left_shift > 31)
    return AR_UNSUPPORTED;
  const int once = ar_rounds_once(p->output_shift);
  if (ar_rounds_once(p->input1_shift) != once || ar_rounds_once(p->input2_shift) != once)
    return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

static inline int32_t ar_first_on_common_scale(const int once, const AddSubParams *p, int32_t a) {
  const uint32_t wide = (uint32_t)(a + p->input1_offset) << p->left_shift;
  return ar_scale(once, (int32_t)wide, p->input1_multiplier, p->input1_shift);
}

static inline int32_t ar_second_on_common_scale(const int once, const AddSubParams *p, int32_t b) {
  const uint32_t wide = (uint32_t)(b + p->input2_offset) << p->left_shift;
  return ar_scale(once, (int32_t)wide, p->input2_multiplier, p->input2_shift);
}

static inline int32_t ar_to_output(const int once, const AddSubParams *p, uint32_t x) {
  const int32_t scaled = ar_scale(once, (int32_t)x, p->output_multiplier, p->output_shift);
  return ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                         (int32_t)p->activation_max);
}
