#include "lanes.h"

#include "lanes/templates/add.h"

const ar_kernel ar_add_avx512vnni = {"ADD", add_measure, add_make_plan, add_run};
