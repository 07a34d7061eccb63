#include "lanes.h"

#include "engine/kernel.h"
#include "lanes/templates/add.h"

AR_KERNEL(neon, 1, ADD, add_measure, add_make_plan, add_run)
