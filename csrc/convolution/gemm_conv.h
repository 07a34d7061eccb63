/* Convolutions on int8 and float32 as matrix products: CONV_2D, and FULLY_CONNECTED as its
 * 1x1 case. */
#pragma once

#include "engine.h"
#include "gemm.h"
#include "records/window.h"

typedef struct {
  Window window;
  int32_t batches, height, width, depth, filters;
  int32_t input_offset, output_offset;
  double activation_min, activation_max;
  int32_t is_float;       /* all of x, weights, bias and output; otherwise int8 with int32 bias */
  ar_rescaling rescaling; /* per filter; floats need none */
  const void *weights;    /* element i of filter f: [f * filter_step + i * element_step] */
  int64_t filter_step, element_step; /* elements in the order height, width, depth */
  const void *bias;                  /* per filter, or NULL */
} ar_gemm_conv;

ar_status ar_gemm_conv_measure(const ar_gemm_isa *isa, const ar_gemm_conv *conv, ar_sizes *sizes);
ar_status ar_gemm_conv_plan(const ar_gemm_isa *isa, const ar_gemm_conv *conv, void *plan);
ar_status ar_gemm_conv_run(const void *plan, const void *input, void *output, uint8_t *workspace);
ar_status ar_gemm_conv_part(const void *plan, const void *input, void *output, uint8_t *workspace,
                            ar_share share);

/* The problem that an operator poses, or AR_UNSUPPORTED. */
typedef ar_status (*ar_gemm_problem)(const void *params, const ar_tensor *io, ar_gemm_conv *conv);
ar_status ar_conv_2d_problem(const void *params, const ar_tensor *io, ar_gemm_conv *conv);
ar_status ar_fully_connected_problem(const void *params, const ar_tensor *io, ar_gemm_conv *conv);
ar_status ar_depthwise_problem(const void *params, const ar_tensor *io, ar_gemm_conv *conv);

/* The functions of a kernel for such an operator. */
ar_status ar_gemm_measure(const ar_gemm_isa *isa, ar_gemm_problem problem, const void *params,
                          const ar_tensor *io, ar_sizes *sizes);
ar_status ar_gemm_plan(const ar_gemm_isa *isa, ar_gemm_problem problem, const void *params,
                       const ar_tensor *io, void *plan);
ar_status ar_gemm_run(const void *params, const void *plan, const ar_tensor *io,
                      uint8_t *workspace);
ar_status ar_gemm_part(const void *params, const void *plan, const ar_tensor *io,
                       uint8_t *workspace, ar_share share);
