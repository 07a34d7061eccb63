/* Tiles of int16 pairs. */
#include "isa.h"
#include "lanes.h"

#define AR_IN_FLIGHT 1 /* the products are independent, and sums take a cycle */
#include "tiles.h"
#include "simd/templates/gemm_int8.h"

AR_DEFINE_TILES(ar_gemm_tile_avx2)
