/* Tiles of four bytes, for CPUs that have SDOT. */
#include "dot.h"

#include "isa.h"
#include "lanes.h"

/* The product with word L of four; L is a constant. */
#define AR_QUARTER_OF(q, acc, x, L, w) \
  vdotq_laneq_s32((acc).v[q], vreinterpretq_s8_s32((w).v[q]), vreinterpretq_s8_s32(x), L)
#define AR_PRODUCT_OF(acc, x, L, w)                                          \
  ((ar_i32){{AR_QUARTER_OF(0, acc, x, L, w), AR_QUARTER_OF(1, acc, x, L, w), \
             AR_QUARTER_OF(2, acc, x, L, w), AR_QUARTER_OF(3, acc, x, L, w)}})
#define AR_LOAD_WORDS(COUNT, p) ar_load_words(p) /* a staged image has room behind its end */
#include "by_element.h"

#define AR_STRIPS
#include "tiles.h"
#include "simd/templates/gemm_int8.h"

AR_DEFINE_TILES(ar_gemm_tile_neondot)
#pragma clang attribute pop
