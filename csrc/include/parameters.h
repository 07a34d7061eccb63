/* What prepare computes of many numbers at once: the same bits as the functions in Python, which
 * say what is meant. */
#pragma once

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
 * the radius is 0. Returns 1. ops/shared/sigmoid.py: in_numpy. */
int32_t ar_sigmoid_table(int32_t is_tanh, int32_t zero_point, int32_t radius, int32_t multiplier,
                         int32_t left_shift, int8_t *table);

/* The same of activations with records of their own, whose numbers these are. Returns 0 where Python is to
 * compute the table: for numbers outside of what C defines, and the few for which a double does not say
 * which float is the nearest. ops/tflite/leaky_relu.py, hard_swish.py, elu.py. */
int32_t ar_leaky_relu_table(int32_t input_offset, int32_t output_offset, int32_t multiplier_alpha,
                            int32_t shift_alpha, int32_t multiplier_identity,
                            int32_t shift_identity, int8_t *table);
int32_t ar_hard_swish_table(int32_t input_zero_point, int32_t output_zero_point,
                            int32_t reluish_multiplier, int32_t reluish_exponent,
                            int32_t output_multiplier, int32_t output_exponent, int8_t *table);
int32_t ar_elu_table(float input_scale, int32_t input_zero_point, float output_scale,
                     int32_t output_zero_point, int8_t *table);
