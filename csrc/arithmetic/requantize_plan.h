/* How a convolution's accumulators become int8: decided once, when the plan is made. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "arrays.h"

enum { AR_BLOCK = 16 }; /* channels per block: one 512-bit vector of int32 */

/* Fastest first: a block takes the slowest mode among its lanes. */
typedef enum {
  AR_REQUANT_FLOAT = 0,   /* one float line per channel, verified */
  AR_REQUANT_SIGNED = 1,  /* one line for acc >= 0, one for acc < 0, verified */
  AR_REQUANT_INTEGER = 2, /* one 64-bit shift */
  AR_REQUANT_SLOW = 3,    /* the reference, lane by lane */
  /* a factor and an offset in float32, as MNN has it: a mode of the block's `integers` only */
  AR_REQUANT_REAL = 4,
  /* an instruction set's own way, which all channels of a block have, or none: lines on sums whose
   * bits are floats, or rounded products */
  AR_REQUANT_BARE = 5
} ar_requantize_mode;

/* The integers' way, for blocks where some lane has no line. */
typedef struct {
  _Alignas(64) int32_t center[AR_BLOCK]; /* what was taken off the bias, to be added first */
  int32_t multiplier[AR_BLOCK];
  int32_t shift[AR_BLOCK];
  int32_t high_shift[AR_BLOCK]; /* right shift of the upper half of 64 bits */
  int64_t constant[AR_BLOCK];   /* even channels first, then odd ones */
  int64_t below_zero;           /* what two roundings take off where the accumulator is negative */
  int32_t output_offset;
  int32_t mode; /* INTEGER, SLOW or REAL: the way of all lanes */
} ar_requantize_integers;

/* What most blocks need is small: it shares the caches with the weights. */
typedef struct {
  _Alignas(64) int32_t bias[AR_BLOCK]; /* start value: bias and input offset folded */
  float scale[AR_BLOCK];
  float offset[AR_BLOCK];
  float negative_offset[AR_BLOCK];
  ar_requantize_integers *integers;
  int32_t mode;
} ar_requantize_block;

/* Empties blocks, each with its integers. */
static inline void ar_clear_blocks(ar_requantize_block *blocks, ar_requantize_integers *integers,
                                   int64_t count) {
  memset(blocks, 0, (size_t)count * sizeof *blocks);
  memset(integers, 0, (size_t)count * sizeof *integers);
  for (int64_t i = 0; i < count; ++i) blocks[i].integers = &integers[i];
}

/* The accumulators that a channel can have: what its weights make of any input. */
typedef struct {
  int64_t low, high;
} ar_range;

/* What was found for channels with these integers. It holds for fewer accumulators, too. */
typedef struct {
  int32_t multiplier, shift;
  int32_t known, gave_up; /* whether there is something; whether one for more channels is none */
  ar_range range;
  int32_t moved; /* what all accumulators are moved by */
  float scale, offset, negative_offset;
  ar_requantize_mode mode;
} ar_known_line;

/* From sums to outputs in a model's own numbers, by channel: two integers, or two floats in MNN's
 * convolutions. The others are empty. */
typedef struct {
  ar_int32s multiplier, shift;
  ar_floats factor, offset;
  ar_known_line *line, *bare; /* of the channels before, to be tried first; or NULL */
} ar_rescaling;

/* Whether there are numbers for so many channels. */
static inline int ar_rescales(const ar_rescaling *r, int64_t channels) {
  return (r->multiplier.count >= channels && r->shift.count >= channels) ||
         (r->factor.count >= channels && r->offset.count >= channels);
}

/* Sums of a filter's positive and of its negative weights. */
typedef struct {
  int64_t positive, negative;
} ar_weight_sums;

/* Adds `count` weights, of which vectors hold many. */
static inline void ar_sum_row(ar_weight_sums *sums, const int8_t *weights, int64_t count) {
  enum { AT_ONCE = 128 }; /* whose sums fit int16 */
  while (count > 0) {
    const int64_t some = count < AT_ONCE ? count : AT_ONCE;
    int16_t all = 0, magnitude = 0;
    for (int64_t i = 0; i < some; ++i) {
      const int16_t weight = weights[i];
      all = (int16_t)(all + weight);
      magnitude = (int16_t)(magnitude + (weight < 0 ? -weight : weight));
    }
    sums->positive += (all + magnitude) / 2;
    sums->negative += (all - magnitude) / 2;
    weights += some;
    count -= some;
  }
}

/* Adds `count` weights that lie `step` apart. */
static inline void ar_sum_weights(ar_weight_sums *sums, const int8_t *weights, int64_t count,
                                  int64_t step) {
  if (step == 1) {
    ar_sum_row(sums, weights, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int8_t weight = weights[i * step];
    *(weight < 0 ? &sums->negative : &sums->positive) += weight;
  }
}

/* For inputs q in [-128, 127] that count as q + input_offset. */
static inline ar_range ar_range_of(int32_t bias, ar_weight_sums w, int32_t input_offset) {
  const int64_t least = input_offset - 128, most = input_offset + 127;
  return (ar_range){bias + w.positive * least + w.negative * most,
                    bias + w.positive * most + w.negative * least};
}

/* Whether a known line is one for these integers. */
static inline int ar_is_for(const ar_known_line *known, int32_t multiplier, int32_t shift) {
  return known && known->known && known->multiplier == multiplier && known->shift == shift;
}

/* Whether it meets the reference on this range as well. */
static inline int ar_covers(const ar_known_line *known, ar_range range) {
  return known->range.low <= range.low && range.high <= known->range.high;
}

/* The range for which to look for a line: of this channel, and those before with the same integers
 * if there may be one for all. */
static inline ar_range ar_range_to_cover(const ar_known_line *known, int32_t multiplier,
                                         int32_t shift, ar_range range) {
  if (!ar_is_for(known, multiplier, shift) || known->gave_up) return range;
  return (ar_range){known->range.low < range.low ? known->range.low : range.low,
                    known->range.high > range.high ? known->range.high : range.high};
}

/* Fills multiplier, shift, high_shift and constant of a lane, and the mode of all; returns
 * INTEGER or SLOW. */
ar_requantize_mode ar_requantize_integer_plan(ar_requantize_integers *way, int lane,
                                              int32_t multiplier, int32_t shift,
                                              int32_t output_offset);
