/* Which tiles there are: at most twelve accumulators, two or more vectors of weights and one of
 * the input share sixteen registers. See ../templates/gemm_tile.h. */
// clang-format off: a line for each number of vectors
#define AR_TILES(T) \
  T(1, 4) \
  T(1, 2) T(2, 2) \
  T(1, 1) T(2, 1) T(3, 1) T(4, 1) T(5, 1) T(6, 1)
// clang-format on
#define AR_TAP_TILES(T)
