#include "lanes.h"

#include "lanes/templates/add.h"

const ar_kernel ar_add_avx2 = {"ADD", add_measure, add_make_plan, add_run};
