/* What the files of this directory give to kernels.c. */
#pragma once

#include "convolution/interleaved_depthwise.h"
#include "convolution/gemm.h"
#include "convolution/winograd_conv_2d.h"

enum { AR_FLOATS_IN_FLIGHT = 8 }; /* two products a cycle, of four cycles each */

ar_gemm_tile ar_gemm_tile_avx2(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_tile_grouped_avx2(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_tile_avxvnni(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_float_tile_avx2(int positions, int blocks, int taps);

int64_t ar_depthwise_workspace_avx2(const ar_depthwise *plan);
void ar_depthwise_avx2(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);
int64_t ar_depthwise_workspace_avxvnni(const ar_depthwise *plan);
void ar_depthwise_avxvnni(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);

void ar_winograd_avx2(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                      const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);
