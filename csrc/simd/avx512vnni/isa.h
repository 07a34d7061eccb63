/* What the files of this directory give to kernels.c. */
#pragma once

#include "convolution/interleaved_depthwise.h"
#include "convolution/gemm.h"
#include "convolution/winograd_conv_2d.h"

enum { AR_FLOATS_IN_FLIGHT = 8 }; /* two products a cycle, of four cycles each */

ar_gemm_tile ar_gemm_tile_avx512vnni(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_transposed_avx512vnni(int depth, int stride);
ar_gemm_tile ar_gemm_float_tile_avx512(int positions, int blocks, int taps);

int64_t ar_depthwise_workspace_avx512vnni(const ar_depthwise *plan);
int32_t ar_depthwise_channel_avx512vnni(const ar_depthwise *plan, int32_t lane);
int64_t ar_depthwise_arranged_bytes_avx512vnni(const ar_depthwise *plan);
void ar_depthwise_arrange_avx512vnni(const ar_depthwise *plan, const int8_t *packed,
                                     int8_t *arranged);
void ar_depthwise_avx512vnni(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                             const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);

void ar_winograd_avx512vnni(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                            const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);
