/* Accumulators to int8, sixteen lanes at a time, exact: a line that was proven (see
 * line_search.h), the reference's integers, or the floats that MNN defines. Include an instruction
 * set's lanes.h before, and define AR_WITHOUT_REALS where no block has MNN's way. */
#pragma once

#include "arithmetic/fixedpoint.h"
#include "arithmetic/requantize_plan.h"

/* Lane by lane, for what the 64-bit form cannot take. */
static __attribute__((noinline)) void ar_requantize_slow(int32_t *acc,
                                                         const ar_requantize_block *block) {
  const ar_requantize_integers *way = block->integers;
  for (int i = 0; i < AR_BLOCK; ++i) {
    const int32_t scaled = ar_rescale(acc[i], way->multiplier[i], way->shift[i]);
    acc[i] = ar_clamp_offset(scaled, way->output_offset, INT8_MIN, INT8_MAX);
  }
}

AR_INLINE ar_i32 ar_requantize_exact(ar_i32 acc, const ar_requantize_block *block) {
#ifndef AR_WITHOUT_REALS
  if (block->integers->mode == AR_REQUANT_REAL)
    return ar_on_reals(acc, ar_load_f32(block->scale), ar_load_f32(block->offset));
#endif
  acc = ar_add_i32(acc, ar_load_i32(block->integers->center));
  if (block->integers->mode != AR_REQUANT_SLOW) return ar_on_integers(acc, block->integers);
  _Alignas(64) int32_t lanes[AR_BLOCK];
  ar_save_i32(lanes, acc);
  ar_requantize_slow(lanes, block);
  return ar_load_i32(lanes);
}
