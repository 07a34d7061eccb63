#include "isa.h"
#include "lanes.h"

#define AR_LOAD_ONE ar_load_signed_word /* weights take longer to load than that */
#define AR_IN_FLIGHT 8                  /* two products a cycle, of four cycles each */
// clang-format off: a line for each number of vectors
#define AR_TILES(T) \
  T(1, 8) T(2, 8) \
  T(1, 4) T(2, 4) T(3, 4) T(4, 4) T(5, 4) T(6, 4) \
  T(1, 2) T(2, 2) T(3, 2) T(4, 2) T(5, 2) T(6, 2) T(8, 2) T(10, 2) T(12, 2) \
  T(1, 1) T(2, 1) T(4, 1) T(8, 1) T(12, 1) T(16, 1)
// clang-format on
#define AR_TAP_TILES(T) T(8) T(12) T(16)
#include "simd/templates/gemm_int8.h"

AR_DEFINE_TILES(ar_gemm_tile_avx512vnni)
