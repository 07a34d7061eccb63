#include "lanes.h"

#include "lanes/templates/depthwise_float.h"

const ar_kernel ar_depthwise_float_avx512 = {"DEPTHWISE_CONV_2D", float_measure, float_make_plan,
                                             float_run};
