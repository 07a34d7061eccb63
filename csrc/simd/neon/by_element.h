/* The loops of a tile for products with one word of a register of four (SDOT and FMLA by element):
 * what they read of the input takes a fourth of the loads. Include lanes.h before, define
 * AR_PRODUCT_OF(acc, x, L, w), the product with word L of x, and AR_LOAD_WORDS(COUNT, p), which
 * loads at least so many; see ../templates/gemm_tile.h for the rest. */
#define AR_OWN_LOOPS

#include "convolution/gemm.h"

/* Word L of all positions with NB blocks of weights. */
#define AR_STEP_OF(L)                                                                         \
  AR_UNROLL                                                                                   \
  for (int n = 0; n < NB; ++n) {                                                              \
    const ar_i32 w = ar_load_i32(weights + 64 * ((L) * NB + n));                              \
    AR_UNROLL                                                                                 \
    for (int p = 0; p < P; ++p) acc[p * NB + n] = AR_PRODUCT_OF(acc[p * NB + n], x[p], L, w); \
  }

/* COUNT words of all positions with their weights. */
AR_INLINE void some_words(const int COUNT, const int P, const int NB, const uint8_t *row,
                          ptrdiff_t stride, const int8_t *weights, ar_i32 *acc) {
  ar_word x[P];
  AR_UNROLL
  for (int p = 0; p < P; ++p) x[p] = AR_LOAD_WORDS(COUNT, row + p * stride);
  AR_STEP_OF(0)
  if (COUNT > 1) {
    AR_STEP_OF(1)
  }
  if (COUNT > 2) {
    AR_STEP_OF(2)
  }
  if (COUNT > 3) {
    AR_STEP_OF(3)
  }
}

enum { MOST_AT_ONCE = 5 }; /* positions: an array of P would be moved about in a loop */

/* Segments of four words: what is not a product is a load or one of three steps. */
AR_INLINE void only_fours(const int P, const int NB, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, ar_i32 *acc) {
  const uint8_t *rows[MOST_AT_ONCE];
  AR_UNROLL
  for (int p = 0; p < P; ++p) rows[p] = input + p * (ptrdiff_t)gemm->position_stride;
  const int32_t *segment = gemm->segment, *end = segment + gemm->segments;
  do {
    const ptrdiff_t at = *segment++;
    ar_word x[MOST_AT_ONCE];
    AR_UNROLL
    for (int p = 0; p < P; ++p) x[p] = ar_load_words(rows[p] + at);
    AR_STEP_OF(0)
    AR_STEP_OF(1)
    AR_STEP_OF(2)
    AR_STEP_OF(3)
    weights += 4 * 64 * NB;
  } while (segment != end);
}

AR_INLINE void accumulate(const int P, const int NB, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, ar_i32 *acc) {
  if (gemm->dwords == 4) {
    only_fours(P, NB, gemm, input, weights, acc);
    return;
  }
  const ptrdiff_t stride = gemm->position_stride;
  const uint32_t fours = (uint32_t)gemm->dwords / 4, rest = (uint32_t)gemm->dwords % 4;
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    for (uint32_t k = 0; k < fours; ++k, row += 16, weights += 4 * 64 * NB)
      some_words(4, P, NB, row, stride, weights, acc);
    switch (rest) {
      case 1: some_words(1, P, NB, row, stride, weights, acc); break;
      case 2: some_words(2, P, NB, row, stride, weights, acc); break;
      case 3: some_words(3, P, NB, row, stride, weights, acc); break;
    }
    weights += rest * 64 * NB;
  }
}
