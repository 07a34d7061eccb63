/* Tiles of float32. */
#include "isa.h"
#include "lanes.h"

#define AR_QUARTER_OF(q, acc, x, L, w)                                                             \
  vreinterpretq_s32_f32(vfmaq_laneq_f32(vreinterpretq_f32_s32((acc).v[q]),                         \
                                        vreinterpretq_f32_s32((w).v[q]), vreinterpretq_f32_s32(x), \
                                        L))
#define AR_PRODUCT_OF(acc, x, L, w)                                          \
  ((ar_i32){{AR_QUARTER_OF(0, acc, x, L, w), AR_QUARTER_OF(1, acc, x, L, w), \
             AR_QUARTER_OF(2, acc, x, L, w), AR_QUARTER_OF(3, acc, x, L, w)}})
#define AR_LOAD_WORDS ar_load_some_words /* floats may lie at a tensor's end */
#include "by_element.h"
#define AR_STRIPS
#include "tiles.h"
#include "simd/templates/gemm_float.h"

AR_DEFINE_TILES(ar_gemm_float_tile_neon)
