#include "lanes.h"

#include "engine/kernel.h"
#include "simd/templates/add.h"

AR_FLAT_KERNEL(neon, 1, ADD, 3, ADD_WORK, add_measure, add_make_plan, add_run)
