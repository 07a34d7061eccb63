/* CONV_2D without groups: int8 with int32 bias, or float32. */
#include "gemm_conv.h"
#include "records/conv_2d.h"

ar_status ar_conv_2d_problem(const void *opaque, const ar_tensor *io, ar_gemm_conv *conv) {
  const Conv2DParams *params = opaque;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_INT8 && x->type != AR_FLOAT32) return AR_UNSUPPORTED;
  if (weights->type != x->type || y->type != x->type) return AR_UNSUPPORTED;
  const int32_t bias_type = x->type == AR_INT8 ? AR_INT32 : AR_FLOAT32;
  if (bias->type != AR_ABSENT && (bias->type != bias_type || !bias->data)) return AR_UNSUPPORTED;
  if (params->groups != 1 || !weights->data || x->rank != 4 || weights->rank != 4)
    return AR_UNSUPPORTED;
  const int32_t *filter = weights->dims;
  if (!ar_slides(&params->window, y, x, filter[1], filter[2], filter[0]) ||
      filter[3] != x->dims[3] || !ar_has_or_lacks(bias, filter[0]))
    return AR_UNSUPPORTED;
  *conv = (ar_gemm_conv){
      .window = ar_plain_window(&params->window),
      .batches = x->dims[0],
      .height = x->dims[1],
      .width = x->dims[2],
      .depth = x->dims[3],
      .filters = weights->dims[0],
      .input_offset = params->input_offset,
      .output_offset = params->output_offset,
      .activation_min = params->activation_min,
      .activation_max = params->activation_max,
      .is_float = x->type == AR_FLOAT32,
      .rescaling = {.multiplier = params->multiplier, .shift = params->shift},
      .weights = weights->data,
      .filter_step = (int64_t)weights->dims[1] * weights->dims[2] * weights->dims[3],
      .element_step = 1,
      .bias = bias->type == AR_ABSENT ? 0 : bias->data,
  };
  return AR_OK;
}
