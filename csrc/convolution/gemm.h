/* The inner products of all convolutions, as a matrix product over gathered rows.
 *
 * One output position's inputs are `segments` runs of bytes in the staged input (padded; see
 * ar_gemm_isa), each `dwords` * 4 long; weights are packed in the same order and elements of
 * the same size, 16 channels to a vector and `NB` vectors to a block, zero where a run was
 * rounded up to a whole dword, or to two where a channel's weights lie eight bytes at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/requantize_plan.h"
#include "staging.h"

static inline int32_t ar_round_up(int32_t n, int32_t to) { return (n + to - 1) / to * to; }

enum {
  AR_MAX_SEGMENTS = 64,
  AR_MAX_TILE_POSITIONS = 16,
  AR_MAX_STRIP_POSITIONS = 128, /* of tiles that go through their positions some at a time */
  AR_MAX_TILE_BLOCKS = 8
};

/* In how many sets of registers a tile sums: so many products must be under way at a time. */
#define AR_SETS(registers, in_flight) \
  ((registers) >= (in_flight) ? 1 : 2 * (registers) >= (in_flight) ? 2 : 4)

typedef struct {
  int32_t segments;
  int32_t dwords;                   /* per segment */
  int32_t segment[AR_MAX_SEGMENTS]; /* byte offset of each run */
  int32_t position_stride;          /* bytes from one output position to the next in a row */
  int32_t positions;                /* of a tile */
  int32_t channels;                 /* elements from one position to the next in the output */
  float low, high;                  /* the activation's bounds */
  int32_t entries;                  /* at most, of grouped weights: see grouped.h */
} ar_gemm;

/* What stands before the weights of 16 channels that lie by eight bytes: two channels' numbers, twice,
 * as tiles have sums of two positions. Of rounded products alone, but for the bias. */
typedef struct {
  int32_t bias[AR_BLOCK / 2][4], multiplier[AR_BLOCK / 2][4], right[AR_BLOCK / 2][4];
} ar_wide_header;

/* Computes P positions of one row for NB * 16 channels. */
typedef void (*ar_gemm_tile)(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,
                             const ar_requantize_block *blocks, int32_t valid_channels,
                             void *output);

/* The tile for P positions and NB blocks of 16 channels; NULL where there is none. Tap tiles
 * are for one block, rows of three taps and stride 1, see simd/templates/gemm_tile.h; of wide weights, those
 * for positions that lie in pairs. */
typedef ar_gemm_tile (*ar_find_tile)(int positions, int blocks, int taps);

/* The tile of transposed.h for filters over `depth` channels; NULL where there is none. */
typedef ar_gemm_tile (*ar_find_transposed)(int depth, int stride);

/* Plans one lane of a block, by a channel's numbers. Returns its mode. */
typedef ar_requantize_mode (*ar_plan_lane)(ar_requantize_block *block, int lane,
                                           const ar_rescaling *rescaling, int32_t channel,
                                           int32_t output_offset, int32_t activation_min,
                                           int32_t activation_max, ar_range range);

/* Copies int8 into a staged image. */
typedef void (*ar_stage_fn)(const ar_staging *staging, const int8_t *source, uint8_t *staged);

/* Copies `count` positions of `bytes` bytes each, two side by side: eight bytes of one, eight of the
 * next. Writes an even number of positions. */
typedef void (*ar_pair_fn)(const uint8_t *source, int32_t count, int32_t bytes, uint8_t *staged);

/* Sets the rounding that the lines were proven with; returns what to give to `leave`. */
typedef uint32_t (*ar_enter_fn)(void);
typedef void (*ar_leave_fn)(uint32_t before);

/* What an instruction set brings to the matrix product. Floats are staged as they are, and
 * their tiles take the bias alone of a block. */
typedef struct {
  int32_t int8_bytes;    /* of a staged int8: 1 for q ^ 0x80, 2 for q + input_offset */
  int32_t is_signed;     /* bytes are q itself */
  int32_t one_is_signed; /* they are where tiles have one position, which flip them */
  /* Weights of int8 lie by eight bytes of a channel, behind an ar_wide_header, and tiles, of 16
   * channels, have any number of positions but one. */
  int32_t wide;
  ar_pair_fn pair; /* of wide ones: what tiles that are found with `taps` read */
  int32_t vectors; /* registers that the 16 lanes of a block take */
  /* Of int8, of float: positions that go through the registers at a time, or one less, where tiles
   * have any number; else 0. */
  int32_t at_once[2];
  int32_t floats_in_flight; /* products that tiles want under way, 0 where one set is all */
  int32_t run_dwords;       /* segments become runs of so many where they can, 0 for as they are */
  int32_t groups;           /* whether weights are grouped, see grouped.h, where that pays */
  ar_find_tile find_tile, find_float_tile; /* NULL where there are none */
  ar_find_transposed find_transposed;      /* likewise */
  ar_plan_lane plan_lane;
  ar_plan_lane plan_bare; /* tried first, for all channels of a block; NULL where there is none */
  ar_stage_fn stage;
  ar_enter_fn enter; /* around plan_lane and int8 tiles; NULL where instructions say it */
  ar_leave_fn leave;
  void (*forget_nan)(void); /* whether float tiles met or made a NaN since; NULL where they */
  int (*met_nan)(void);     /* cannot say */
} ar_gemm_isa;

/* How many of a tile's positions go through the registers at a time: a divisor, 0 for none. */
static inline int32_t ar_some_positions(int32_t at_once, int32_t positions) {
  if (positions <= at_once) return positions;
  if (positions % at_once == 0) return at_once;
  return positions % (at_once - 1) == 0 ? at_once - 1 : 0;
}

/* What staged bytes leave out of their offset: the bias stands for it. */
static inline int32_t ar_left_out(const ar_gemm_isa *isa, int32_t input_offset) {
  return isa->is_signed ? input_offset : input_offset - 128;
}
