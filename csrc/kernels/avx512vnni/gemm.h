/* The inner products of all convolutions, as a matrix product over gathered rows.
 *
 * One output position's inputs are `segments` runs of bytes in the staged input (u8 or
 * float, padded), each `dwords` * 4 long; weights are packed in the same order, 16 channels to a vector and
 * `NB` vectors to a block, zero where a run was rounded up to a whole dword.
 */
#ifndef ARENITE_AVX512VNNI_GEMM_H
#define ARENITE_AVX512VNNI_GEMM_H

#include <stddef.h>
#include <stdint.h>

#include "../requantize_plan.h"

enum { AR_MAX_SEGMENTS = 64 };

typedef struct {
  int32_t segments;
  int32_t dwords;                     /* per segment */
  int32_t segment[AR_MAX_SEGMENTS];   /* byte offset of each run */
  int32_t position_stride;            /* bytes from one output position to the next in a row */
  int32_t channels;                   /* bytes from one position to the next in the output */
  float low, high;                    /* the activation's bounds */
} ar_gemm;

/* Computes P positions of one row for NB * 16 channels. */
typedef void (*ar_gemm_tile)(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,
                             const ar_requantize_block *blocks, int32_t valid_channels,
                             void *output);

/* The tile for P positions and NB blocks of 16 channels; NULL where there is none. Tap tiles are
 * for one block, rows of three taps and stride 1, see accumulate_taps(). The float
 * tiles take floats for dwords, and of a block the bias alone. */
ar_gemm_tile ar_gemm_tile_avx512vnni(int positions, int blocks, int taps);
ar_gemm_tile ar_gemm_float_tile_avx512(int positions, int blocks, int taps);

#endif
