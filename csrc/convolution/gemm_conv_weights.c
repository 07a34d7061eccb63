/* The packed weights of matrix products, as gemm_conv.c has planned them. */
#include "gemm_conv_plan.h"

#include <string.h>

#include "grouped.h"
#include "transposed.h"

/* Weights that lie side by side, at the size that the tiles want. */
static inline void put(const conv_plan *plan, int8_t *packed, const int8_t *weights,
                       int32_t count) {
  if (plan->staged_bytes == plan->element_bytes) {
    memcpy(packed, weights, (size_t)count * plan->element_bytes);
    return;
  }
  for (int32_t i = 0; i < count; ++i) {
    const int16_t wide = weights[i];
    memcpy(packed + 2 * i, &wide, sizeof wide);
  }
}

/* One lane whose filter lies anywhere: folded columns are shifted within their segments. */
static void pack_lane(const conv_plan *plan, const ar_gemm_conv *p, const int8_t *filter,
                      int32_t lane, int32_t column, int8_t *packed) {
  const ar_gemm *gemm = &plan->gemm;
  const int32_t run = ar_run_elements(plan, p);
  const int32_t shift = column * p->window.stride[1] * plan->depth;
  const int32_t side = plan->weight_bytes, vector = plan->tile_blocks * AR_BLOCK * side;
  for (int32_t s = 0; s < gemm->segments; ++s)
    for (int32_t i = 0; i < run; ++i, filter += p->element_step * plan->element_bytes) {
      const int64_t byte = (int64_t)s * gemm->dwords * 4 + (shift + i) * plan->staged_bytes;
      put(plan, packed + byte / side * vector + lane * side + byte % side, filter, 1);
    }
}

/* What lies side by side of each of up to 16 lanes, whose filters are `step` bytes apart. */
static inline void pack_sides(const conv_plan *plan, const int8_t *weights, int64_t step,
                              int32_t lanes, int8_t *packed) {
  if (plan->weight_bytes == 8) {
    for (int32_t lane = 0; lane < lanes; ++lane, weights += step)
      memcpy(packed + lane * 8, weights, 8);
    return;
  }
  if (plan->staged_bytes == plan->element_bytes) {
    for (int32_t lane = 0; lane < lanes; ++lane, weights += step)
      memcpy(packed + lane * 4, weights, 4);
    return;
  }
  for (int32_t lane = 0; lane < lanes; ++lane, weights += step) {
    const int16_t two[2] = {weights[0], weights[1]};
    memcpy(packed + lane * 4, two, sizeof two);
  }
}

/* Up to 16 lanes whose filters are contiguous. */
static void pack_lanes(const conv_plan *plan, const ar_gemm_conv *p, const int8_t *filters,
                       int32_t lanes, int8_t *packed) {
  const int32_t bytes = plan->element_bytes, side = plan->weight_bytes;
  const int32_t each = side / plan->staged_bytes;
  const int32_t run = ar_run_elements(plan, p), whole = run / each, rest = run % each;
  const int64_t step = p->filter_step * bytes,
                vector = (int64_t)plan->tile_blocks * AR_BLOCK * side;
  const int32_t depth = whole / 3; /* dwords of a tap */
  for (int32_t s = 0; s < plan->gemm.segments; ++s, filters += run * bytes) {
    for (int32_t d = 0; d < whole; ++d, packed += vector) {
      const int32_t from = plan->taps ? d % 3 * depth + d / 3 : d;
      pack_sides(plan, filters + from * each * bytes, step, lanes, packed);
    }
    if (!rest) continue;
    for (int32_t lane = 0; lane < lanes; ++lane)
      put(plan, packed + lane * side, filters + lane * step + whole * each * bytes, rest);
    packed += vector;
  }
}

/* Whether weights leave nothing to be filled with zeros: lanes, or bytes behind a run. */
static int fill_all(const ar_gemm_isa *isa, const conv_plan *plan, const ar_gemm_conv *p) {
  if (isa->groups || plan->fold != 1 || p->element_step != 1) return 0;
  return plan->filters == plan->blocks * AR_BLOCK &&
         ar_run_elements(plan, p) * plan->staged_bytes % plan->weight_bytes == 0;
}

static void pack_groups(const conv_plan *plan, const ar_gemm_conv *p, int8_t *packed) {
  for (int32_t first = 0; first < plan->filters; first += AR_BLOCK) {
    const ar_filters filters = ar_filters_of(plan, p, first);
    ar_pack_groups(&filters, plan->gemm.entries, packed);
    packed += plan->tile_bytes;
  }
}

static void pack(const conv_plan *plan, const ar_gemm_conv *p, int8_t *packed) {
  const int32_t bytes = plan->element_bytes;
  const int64_t vector = (int64_t)AR_BLOCK * plan->weight_bytes;
  const int32_t channels = plan->filters * plan->fold;
  for (int32_t first = 0; first < channels; first += AR_BLOCK) {
    const int32_t block = first / AR_BLOCK;
    const int32_t lanes = channels - first < AR_BLOCK ? channels - first : AR_BLOCK;
    const int32_t tile = block / plan->tile_blocks, n = block % plan->tile_blocks;
    int8_t *start = packed + tile * plan->tile_bytes + n * vector;
    if (plan->weight_bytes == 8) start += sizeof(ar_wide_header);
    const int8_t *filters = (const int8_t *)p->weights + first * p->filter_step * bytes;
    if (plan->fold == 1 && p->element_step == 1) {
      pack_lanes(plan, p, filters, lanes, start);
      continue;
    }
    for (int32_t lane = 0; lane < lanes; ++lane) {
      const int32_t filter = (first + lane) % plan->filters;
      pack_lane(plan, p, (const int8_t *)p->weights + filter * p->filter_step * bytes, lane,
                (first + lane) / plan->filters, start);
    }
  }
}

/* Two channels' numbers, twice, for all of a block. */
static void put_twice(int32_t (*out)[4], const void *lanes) {
  const uint8_t *from = lanes;
  for (int32_t i = 0; i < AR_BLOCK / 2; ++i, from += 8) {
    memcpy(&out[i][0], from, 8);
    memcpy(&out[i][2], from, 8);
  }
}

/* What wide tiles find before their weights. */
static void put_headers(const conv_plan *plan, const ar_requantize_block *blocks, int8_t *packed) {
  for (int32_t i = 0; i < plan->blocks; ++i, packed += plan->tile_bytes) {
    ar_wide_header *header = (ar_wide_header *)packed;
    put_twice(header->bias, blocks[i].bias);
    put_twice(header->multiplier, blocks[i].scale);
    put_twice(header->right, blocks[i].offset);
  }
}

void ar_gemm_conv_pack(const ar_gemm_isa *isa, const conv_plan *plan, const ar_gemm_conv *p,
                       const ar_requantize_block *blocks, int8_t *packed) {
  if (!fill_all(isa, plan, p)) memset(packed, 0, (size_t)ar_packed_bytes(plan));
  if (plan->transposed) ar_pack_transposed(p, packed);
  else (isa->groups ? pack_groups : pack)(plan, p, packed);
  if (plan->weight_bytes == 8) put_headers(plan, blocks, packed);
}
