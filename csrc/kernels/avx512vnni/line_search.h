/* Finds the float lines that replace a channel's two integer roundings, and proves them. */
#ifndef ARENITE_AVX512VNNI_LINE_SEARCH_H
#define ARENITE_AVX512VNNI_LINE_SEARCH_H

#include "../requantize_plan.h"

/* Plans one lane of a block: multiplier, shift, and a line if one passes. Returns its mode. */
ar_requantize_mode ar_plan_lane_avx512vnni(ar_requantize_block *block, int lane,
                                           int32_t multiplier, int32_t shift,
                                           int32_t output_offset, int32_t activation_min,
                                           int32_t activation_max, ar_range range);

#endif
