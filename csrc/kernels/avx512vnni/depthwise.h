/* Depthwise int8 convolution with one output channel per input channel.
 *
 * Rows are interleaved four at a time, so that a dword holds four vertical taps of one
 * channel and VPDPBUSD sums them; horizontal taps are loads at other offsets.
 */
#ifndef ARENITE_AVX512VNNI_DEPTHWISE_H
#define ARENITE_AVX512VNNI_DEPTHWISE_H

#include <stdint.h>

#include "../requantize_plan.h"

enum { AR_MAX_DEPTHWISE_GROUPS = 16 };

typedef struct {
  int32_t output_rows, output_columns;
  int32_t channels;
  int32_t row_bytes;                   /* of one staged (padded, u8) input row */
  int32_t filter_rows, filter_columns;
  int32_t stride_rows, stride_columns;
  int32_t dilation_rows, dilation_columns;
  int32_t groups;                      /* of four filter rows */
  int32_t units;                       /* weight patterns of 16 lanes: channels, or 64, over 16 */
  int8_t activation_min, activation_max;
} ar_depthwise;

/* Bytes of workspace for interleaved rows. */
int64_t ar_depthwise_workspace_avx512vnni(const ar_depthwise *plan);

/* weights: [units][groups][filter_columns][16 lanes][4 rows]; blocks: one per unit. */
void ar_depthwise_avx512vnni(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                             const ar_requantize_block *blocks, int8_t *output,
                             uint8_t *workspace);

#endif
