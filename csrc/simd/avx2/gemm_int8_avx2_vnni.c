/* Tiles of four bytes, for CPUs that have AVX-VNNI. */
#include "vnni.h"

#include "isa.h"
#include "lanes.h"

#define AR_IN_FLIGHT 8 /* two products a cycle, of four cycles each */
#include "tiles.h"
#include "simd/templates/gemm_int8.h"

AR_DEFINE_TILES(ar_gemm_tile_avxvnni)
#pragma clang attribute pop
