/* DEPTHWISE_CONV_2D over one input channel: an ordinary convolution with as many filters as there are
 * outputs, whose weights lie side by side. Of float32 here, of int8 in interleaved_depthwise.c. */
#include "interleaved_depthwise.h"

ar_gemm_conv ar_depthwise_as_gemm(const DepthwiseConv2DParams *params, const ar_tensor *io) {
  const ar_tensor *x = &io[1], *weights = &io[2], *bias = &io[3];
  return (ar_gemm_conv){
      .window = ar_plain_window(&params->window),
      .batches = x->dims[0],
      .height = x->dims[1],
      .width = x->dims[2],
      .depth = 1,
      .filters = weights->dims[3],
      .input_offset = params->input_offset,
      .output_offset = params->output_offset,
      .activation_min = params->activation_min,
      .activation_max = params->activation_max,
      .is_float = x->type == AR_FLOAT32,
      .weights = weights->data,
      .filter_step = 1,
      .element_step = weights->dims[3],
      .bias = bias->type == AR_ABSENT ? 0 : bias->data,
  };
}

ar_status ar_depthwise_problem(const void *opaque, const ar_tensor *io, ar_gemm_conv *conv) {
  const DepthwiseConv2DParams *params = opaque;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_FLOAT32 || weights->type != AR_FLOAT32 || y->type != AR_FLOAT32)
    return AR_UNSUPPORTED;
  if (bias->type != AR_ABSENT && (bias->type != AR_FLOAT32 || !bias->data)) return AR_UNSUPPORTED;
  if (!weights->data || x->rank != 4 || weights->rank != 4 || x->dims[3] != 1)
    return AR_UNSUPPORTED;
  const int32_t *filter = weights->dims;
  if (!ar_slides(&params->window, y, x, filter[1], filter[2], filter[3]) || filter[0] != 1 ||
      filter[3] != params->depth_multiplier || !ar_has_or_lacks(bias, filter[3]))
    return AR_UNSUPPORTED;
  *conv = ar_depthwise_as_gemm(params, io);
  return AR_OK;
}
