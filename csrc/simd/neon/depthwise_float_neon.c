#include "lanes.h"

#include "engine/kernel.h"
#include "simd/templates/depthwise_float.h"

AR_KERNEL(neon, 2, DEPTHWISE_CONV_2D, float_measure, float_make_plan, float_run)
