/* Tiles of float32. */
#include "isa.h"
#include "lanes.h"

#define AR_IN_FLIGHT AR_FLOATS_IN_FLIGHT
#include "tiles.h"
#include "simd/templates/gemm_float.h"

AR_DEFINE_TILES(ar_gemm_float_tile_avx2)
