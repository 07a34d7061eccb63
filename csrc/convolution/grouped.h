/* Products of bytes where weights are so small that sums of some fit int16.
 *
 * AVX2 multiplies u8 by s8 and adds two products into an int16, saturating: a pair of weights is
 * exact with any input if neither what is positive of it nor what is negative exceeds 128 in
 * sum (255 * 128 < 2^15). Weights that stay below that all together may be added as int16
 * before they are widened: groups of four dwords, of two, or of one. A dword that does not fit
 * by itself is split into its even and its odd bytes. Which it is depends on the weights of 16
 * filters, and is decided when the plan is made.
 */
#pragma once

#include "gemm.h"

enum { AR_GROUP_SIZES = 3 }; /* 4, 2, 1 dwords */

/* The weights of 16 filters start with this. What follows are the entries' weights, groups of
 * four first: 16 lanes of four int8 each. */
typedef struct {
  _Alignas(64) int32_t groups[AR_GROUP_SIZES];
  int32_t offset[]; /* of every entry: bytes from a position's input */
} ar_grouped;

static inline int64_t ar_grouped_header(int32_t entries) {
  return ((int64_t)sizeof(int32_t) * (AR_GROUP_SIZES + entries) + 63) / 64 * 64;
}
static inline int64_t ar_grouped_bytes(int32_t entries) {
  return ar_grouped_header(entries) + (int64_t)64 * entries;
}

/* Up to 16 filters, `step` bytes apart, whose weights lie side by side in the order of the
 * segments, `run` in each. */
typedef struct {
  const ar_gemm *gemm;
  const int8_t *filters;
  int64_t step;
  int32_t lanes, run;
} ar_filters;

/* Counts the groups; returns the entries. */
int32_t ar_count_groups(const ar_filters *filters, int32_t groups[AR_GROUP_SIZES]);

/* Packs the weights behind a header for so many entries, at least what ar_count_groups says. */
void ar_pack_groups(const ar_filters *filters, int32_t entries, int8_t *packed);
