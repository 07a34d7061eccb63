/* Depthwise int8 convolution with one output channel per input channel.
 *
 * Rows are interleaved, so that a dword holds vertical taps of one channel (four as bytes, or
 * two as int16) and a dot product sums them; horizontal taps are loads at other offsets.
 */
#pragma once

#include <stdint.h>

#include "engine.h"
#include "gemm_conv.h"
#include "arithmetic/requantize_plan.h"
#include "records/depthwise_conv_2d.h"

enum { AR_MAX_DEPTHWISE_GROUPS = 32 };

typedef struct {
  ar_staging staging;                  /* the image, and the border around it */
  int32_t output_rows, output_columns; /* of a part of the image, or of all of it */
  int32_t image_rows;                  /* of output, in all of it */
  int32_t channels;
  int32_t row_bytes; /* of one staged (padded, u8) input row */
  int32_t filter_rows, filter_columns;
  int32_t stride_rows, stride_columns;
  int32_t dilation_rows, dilation_columns;
  int32_t groups; /* of filter rows, see ar_depthwise_isa */
  int32_t units;  /* of 16 lanes: those after the last channel repeat */
  int8_t activation_min, activation_max;
} ar_depthwise;

/* weights: [units][groups][filter_columns][16 lanes][rows of a group]; blocks: one per unit. */
typedef void (*ar_depthwise_fn)(const ar_depthwise *plan, const uint8_t *input,
                                const int8_t *weights, const ar_requantize_block *blocks,
                                int8_t *output, uint8_t *workspace);

/* What an instruction set brings to it. */
typedef struct {
  int32_t group; /* filter rows in a dword: 4, with weights of int8, or 2 of int16 */
  int32_t lanes; /* units fill a multiple of so many lanes */
  int64_t (*workspace)(const ar_depthwise *plan); /* bytes, for interleaved rows */
  /* The channel of a lane; NULL where they are in order. */
  int32_t (*channel)(const ar_depthwise *plan, int32_t lane);
  ar_depthwise_fn run;
  /* Bytes of weights in an order of its own, 0 for none, and what makes them of packed ones:
   * `run` is given those then. Both are NULL where there is no such order. */
  int64_t (*arranged_bytes)(const ar_depthwise *plan);
  void (*arrange)(const ar_depthwise *plan, const int8_t *packed, int8_t *arranged);
  ar_stage_fn stage; /* what `run` is given; NULL if it takes the image as it is */
  /* `stage` copies, and rows of a multiple of so many bytes, without a border, need none; 0 where
   * that never holds. */
  int32_t in_place;
  const ar_gemm_isa *gemm; /* for lines, and for one input channel */
} ar_depthwise_isa;

ar_status ar_depthwise_measure(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                               ar_sizes *sizes);
ar_status ar_depthwise_plan(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                            void *plan);
/* The same with another way from sums to outputs than the parameters' own. */
ar_status ar_depthwise_measure_rescaled(const ar_depthwise_isa *isa,
                                        const DepthwiseConv2DParams *params,
                                        const ar_rescaling *rescaling, const ar_tensor *io,
                                        ar_sizes *sizes);
ar_status ar_depthwise_plan_rescaled(const ar_depthwise_isa *isa,
                                     const DepthwiseConv2DParams *params,
                                     const ar_rescaling *rescaling, const ar_tensor *io,
                                     void *plan);
ar_status ar_depthwise_run(const void *params, const void *plan, const ar_tensor *io,
                           uint8_t *workspace);
ar_status ar_depthwise_part(const void *params, const void *plan, const ar_tensor *io,
                            uint8_t *workspace, ar_share share);

/* The convolution that one over a single input channel is; the tensors have been checked. */
ar_gemm_conv ar_depthwise_as_gemm(const DepthwiseConv2DParams *params, const ar_tensor *io);
