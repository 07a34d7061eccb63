/* What the files of this directory give to kernels.c. */
#pragma once

#include "convolution/interleaved_depthwise.h"
#include "convolution/gemm.h"

ar_gemm_tile ar_gemm_tile_neon(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_tile_neondot(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_tile_neoni8mm(int positions, int blocks, int paired);
void ar_pair_neoni8mm(const uint8_t *source, int32_t count, int32_t bytes, uint8_t *staged);
ar_gemm_tile ar_gemm_float_tile_neon(int positions, int blocks, int taps);

int64_t ar_depthwise_arranged_neon(const ar_depthwise *plan);
void ar_depthwise_arrange_neon(const ar_depthwise *plan, const int8_t *packed, int8_t *arranged);
int64_t ar_depthwise_workspace_neon(const ar_depthwise *plan);
void ar_depthwise_neon(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);
int64_t ar_depthwise_workspace_neondot(const ar_depthwise *plan);
void ar_depthwise_neondot(const ar_depthwise *plan, const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace);
