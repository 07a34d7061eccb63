/* float32 convolutions of 3x3 filters at points. */
#include "lanes.h"

#define AR_POINT_TILES(T) T(16) T(8) T(4)
#include "simd/templates/winograd_float.h"

AR_KERNEL(avx512vnni, 1, CONV_2D, winograd_measure, winograd_make_plan, winograd_run)
