/* MNN_CONV_INT8: int8 to int8, without groups or depthwise.
 *
 * The sums are those of CONV_2D and DEPTHWISE_CONV_2D. The way from sums to outputs is another
 * one: a factor and an offset in float32, which the kernels hand on to plan_by_factor().
 */
#include "mnn_conv_on_lanes.h"
#include "records/depthwise_conv_2d.h"
#include "records/mnn_conv_int8.h"

/* Plans a lane whose numbers are those floats. */
static ar_requantize_mode plan_by_factor(ar_requantize_block *block, int lane,
                                         const ar_rescaling *rescaling, int32_t channel,
                                         int32_t output_offset, int32_t activation_min,
                                         int32_t activation_max, ar_range range) {
  (void)output_offset, (void)activation_min, (void)activation_max, (void)range;
  block->scale[lane] = rescaling->factor.data[channel];
  block->offset[lane] = rescaling->offset.data[channel];
  block->integers->mode = AR_REQUANT_REAL;
  return AR_REQUANT_INTEGER; /* the mode in which `integers` decide */
}

/* The parts of an instruction set, with that way from sums to outputs; numbers are rounded to
 * nearest, as they are everywhere else. */
static ar_gemm_isa real_gemm(const ar_gemm_isa *gemm) {
  ar_gemm_isa real = *gemm;
  real.plan_lane = plan_by_factor;
  real.plan_bare = 0;
  real.enter = 0;
  real.leave = 0;
  return real;
}

static ar_depthwise_isa real_depthwise(const ar_depthwise_isa *isa, const ar_gemm_isa *gemm) {
  ar_depthwise_isa real = *isa;
  real.gemm = gemm;
  return real;
}

static ar_status check(const MnnConvInt8Params *p, const ar_tensor *io) {
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2];
  if (x->type != AR_INT8 || weights->type != AR_INT8 || y->type != AR_INT8) return AR_UNSUPPORTED;
  if (!weights->data || p->groups != 1 || !p->fits_int32) return AR_UNSUPPORTED;
  const int32_t *filter = weights->dims, channels = p->is_depthwise ? filter[3] : filter[0];
  if (x->rank != 4 || weights->rank != 4 ||
      !ar_slides(&p->window, y, x, filter[1], filter[2], channels) || filter[3] != x->dims[3])
    return AR_UNSUPPORTED;
  if (p->start.count < channels || p->factor.count < channels || p->offset.count < channels)
    return AR_UNSUPPORTED;
  const int fits = p->activation_min <= p->activation_max && p->activation_min >= -128 &&
                   p->activation_max <= 127;
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_rescaling rescaling_of(const MnnConvInt8Params *p) {
  return (ar_rescaling){.factor = p->factor, .offset = p->offset};
}

static ar_gemm_conv dense(const MnnConvInt8Params *p, const ar_tensor *io) {
  const ar_tensor *x = &io[1], *weights = &io[2];
  return (ar_gemm_conv){
      .window = ar_plain_window(&p->window),
      .batches = x->dims[0],
      .height = x->dims[1],
      .width = x->dims[2],
      .depth = x->dims[3],
      .filters = weights->dims[0],
      .input_offset = p->input_offset,
      .activation_min = p->activation_min,
      .activation_max = p->activation_max,
      .rescaling = rescaling_of(p),
      .weights = weights->data,
      .filter_step = (int64_t)weights->dims[1] * weights->dims[2] * weights->dims[3],
      .element_step = 1,
      .bias = p->start.data,
  };
}

/* A depthwise convolution as the operator of that name has it: parameters and tensors. */
typedef struct {
  DepthwiseConv2DParams params;
  ar_tensor io[4];
} depthwise_node;

static depthwise_node depthwise(const MnnConvInt8Params *p, const ar_tensor *io) {
  return (depthwise_node){
      .params = {.window = p->window,
                 .depth_multiplier = 1,
                 .input_offset = p->input_offset,
                 .activation_min = p->activation_min,
                 .activation_max = p->activation_max},
      .io = {io[0],
             io[1],
             io[2],
             {.data = (void *)p->start.data, .type = AR_INT32, .rank = 1, .dims = {io[2].dims[3]}}},
  };
}

ar_status ar_mnn_conv_measure(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                              ar_sizes *sizes) {
  const MnnConvInt8Params *p = params;
  if (check(p, io) != AR_OK) return AR_UNSUPPORTED;
  const ar_gemm_isa gemm = real_gemm(isa->gemm);
  if (p->is_depthwise) {
    const ar_depthwise_isa real = real_depthwise(isa, &gemm);
    const depthwise_node node = depthwise(p, io);
    const ar_rescaling rescaling = rescaling_of(p);
    return ar_depthwise_measure_rescaled(&real, &node.params, &rescaling, node.io, sizes);
  }
  const ar_gemm_conv conv = dense(p, io);
  return ar_gemm_conv_measure(&gemm, &conv, sizes);
}

ar_status ar_mnn_conv_plan(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                           void *plan) {
  const MnnConvInt8Params *p = params;
  const ar_gemm_isa gemm = real_gemm(isa->gemm);
  if (p->is_depthwise) {
    const ar_depthwise_isa real = real_depthwise(isa, &gemm);
    const depthwise_node node = depthwise(p, io);
    const ar_rescaling rescaling = rescaling_of(p);
    return ar_depthwise_plan_rescaled(&real, &node.params, &rescaling, node.io, plan);
  }
  const ar_gemm_conv conv = dense(p, io);
  return ar_gemm_conv_plan(&gemm, &conv, plan);
}

ar_status ar_mnn_conv_run(const void *params, const void *plan, const ar_tensor *io,
                          uint8_t *workspace) {
  const MnnConvInt8Params *p = params;
  return (p->is_depthwise ? ar_depthwise_run : ar_gemm_run)(params, plan, io, workspace);
}

ar_status ar_mnn_conv_part(const void *params, const void *plan, const ar_tensor *io,
                           uint8_t *workspace, ar_share share) {
  const MnnConvInt8Params *p = params;
  return (p->is_depthwise ? ar_depthwise_part : ar_gemm_part)(params, plan, io, workspace, share);
}
