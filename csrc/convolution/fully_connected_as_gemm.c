/* FULLY_CONNECTED: int8 with symmetric weights and int32 bias, or float32; a 1x1 convolution
 * over as many positions as there are batches. */
#include "gemm_conv.h"
#include "records/fully_connected.h"

ar_status ar_fully_connected_problem(const void *opaque, const ar_tensor *io, ar_gemm_conv *conv) {
  const FullyConnectedParams *params = opaque;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_INT8 && x->type != AR_FLOAT32) return AR_UNSUPPORTED;
  if (weights->type != x->type || y->type != x->type) return AR_UNSUPPORTED;
  const int32_t bias_type = x->type == AR_INT8 ? AR_INT32 : AR_FLOAT32;
  if (bias->type != AR_ABSENT && (bias->type != bias_type || !bias->data)) return AR_UNSUPPORTED;
  if ((x->type == AR_INT8 && params->filter_offset != 0) || !weights->data) return AR_UNSUPPORTED;
  if (weights->rank < 2) return AR_UNSUPPORTED;
  const int32_t units = weights->dims[weights->rank - 2], depth = weights->dims[weights->rank - 1];
  if (depth < 1) return AR_UNSUPPORTED;
  const int32_t batches = (int32_t)(ar_elements(x) / depth);
  if ((int64_t)batches * units != ar_elements(y) || !ar_has_or_lacks(bias, units) ||
      (int64_t)units * depth != ar_elements(weights))
    return AR_UNSUPPORTED;
  if (params->sums_in_order) return AR_UNSUPPORTED; /* the portable kernel does that */
  *conv = (ar_gemm_conv){
      .window = {{1, batches}, {1, 1}, {1, 1}, {1, 1}, {0, 0}},
      .batches = 1,
      .height = 1,
      .width = batches,
      .depth = depth,
      .filters = units,
      .input_offset = params->input_offset,
      .output_offset = params->output_offset,
      .activation_min = params->activation_min,
      .activation_max = params->activation_max,
      .is_float = x->type == AR_FLOAT32,
      .rescaling = {.multiplier = params->multiplier, .shift = params->shift},
      .weights = weights->data,
      .filter_step = depth,
      .element_step = 1,
      .bias = bias->type == AR_ABSENT ? 0 : bias->data,
  };
  return AR_OK;
}
