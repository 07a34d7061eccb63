/* What prepare computes of many numbers at once: the same bits as the functions in Python, which
 * say what is meant. */
#ifndef ARENITE_PARAMETERS_H
#define ARENITE_PARAMETERS_H

#include <stdint.h>

/* Multipliers and shifts of before * scale / behind for each of `count` float32 scales, which may
 * lie anywhere; one scale is that of all channels. `rounding` is added to the shifts. Returns 0
 * unless every ratio is a finite number from 0 on with a shift of at most 30: then what was written
 * means nothing. Ratios under 2^-32 are 0. numeric/fixedpoint.py: quantize_multipliers. */
int32_t ar_quantize_multipliers(double before, const void *scales, int64_t count, double behind,
                                int32_t rounding, int64_t channels, int32_t *multiplier,
                                int32_t *shift);

/* exp of -i input steps for i in [0, count), no integer bits; a step is multiplier * 2^left_shift
 * with five. ops/shared/softmax.py: difference_table. */
void ar_difference_table(int32_t multiplier, int32_t left_shift, int32_t count, int32_t *table);

/* LOGISTIC, or TANH, of all 256 bytes. Inputs less than `radius` from the zero point are scaled: a step
 * is multiplier * 2^left_shift with four integer bits. Others saturate. Shifts are from 0 to 30, unless
 * the radius is 0. ops/shared/sigmoid.py: table_of. */
void ar_sigmoid_table(int32_t is_tanh, int32_t zero_point, int32_t radius, int32_t multiplier,
                      int32_t left_shift, int8_t *table);

#endif
