/* The results of activations of int8 for all 256 bytes, as prepare wants them. Numbers for which C does
 * not define the arithmetic, or which are rare, are left to Python: 0 is returned. */
#include <string.h>

#include "arithmetic/fixedpoint.h"
#include "engine/proof.h"
#include "parameters.h"

enum { BYTES = 256 };

/* -- LEAKY_RELU */

int32_t ar_leaky_relu_table(int32_t input_offset, int32_t output_offset, int32_t multiplier_alpha,
                            int32_t shift_alpha, int32_t multiplier_identity,
                            int32_t shift_identity, int8_t *table) {
  if (!ar_is_small(input_offset) || multiplier_alpha == INT32_MIN || !ar_is_rescale(shift_alpha) ||
      !ar_is_rescale(shift_identity))
    return 0;
  const int32_t alpha = multiplier_alpha < 0 ? -multiplier_alpha : multiplier_alpha;
  for (int32_t i = 0; i < BYTES; ++i) {
    const int32_t centred = (int8_t)i - input_offset;
    const int32_t leak = ar_rescale(centred, alpha, shift_alpha);
    const int32_t scaled = centred >= 0 ? ar_rescale(centred, multiplier_identity, shift_identity)
                           : multiplier_alpha < 0 ? (int32_t)(0 - (uint32_t)leak)
                                                  : leak;
    table[i] = (int8_t)ar_clamp_offset(scaled, output_offset, -128, 127);
  }
  return 1;
}

/* -- HARD_SWISH, in 16 bits */

static int64_t wrap_int16(int64_t x) { return (int16_t)(uint16_t)(uint64_t)x; }

static int64_t saturate_int16(int64_t x) { return x < -32768 ? -32768 : x > 32767 ? 32767 : x; }

static int64_t doubling_high_mul(int64_t a, int64_t b) {
  const int64_t product = (a * b + (1 << 14)) >> 15;
  return product < 32767 ? product : 32767;
}

/* A mask of 16 or more bits is -1 in 16 bits. */
static int64_t shift_right(int64_t x, int32_t shift) {
  const int64_t mask = shift < 16 ? (INT64_C(1) << shift) - 1 : -1;
  return (x >> shift) + ((x & mask) > (mask >> 1) + (x < 0));
}

/* The input in steps of 3/32768, saturated. */
static int64_t slope_of(int64_t hires, int32_t multiplier, int32_t exponent) {
  const int64_t scaled = saturate_int16(hires * (INT64_C(1) << (exponent > 1 ? exponent - 1 : 0)));
  const int64_t value = doubling_high_mul(scaled, multiplier);
  return exponent > 0 ? saturate_int16(2 * value) : wrap_int16(shift_right(value, -exponent));
}

int32_t ar_hard_swish_table(int32_t input_zero_point, int32_t output_zero_point,
                            int32_t reluish_multiplier, int32_t reluish_exponent,
                            int32_t output_multiplier, int32_t output_exponent, int8_t *table) {
  const int32_t both = reluish_multiplier | output_multiplier;
  if (both < 0 || reluish_multiplier > INT16_MAX || output_multiplier > INT16_MAX) return 0;
  if (!ar_is_shift(reluish_exponent) || output_exponent < -31 || output_exponent > 0) return 0;
  for (int32_t i = 0; i < BYTES; ++i) {
    const int64_t hires = wrap_int16(((int64_t)(int8_t)i - input_zero_point) * 128);
    const int64_t preshift = doubling_high_mul(hires, output_multiplier);
    const int64_t factor = (slope_of(hires, reluish_multiplier, reluish_exponent) + 32768) >> 1;
    const int64_t product = saturate_int16(factor * preshift / 32768); /* towards zero */
    const int64_t result = wrap_int16(shift_right(product, -output_exponent));
    const int64_t moved = wrap_int16(result + output_zero_point);
    table[i] = (int8_t)ar_clamp((int32_t)moved, -128, 127);
  }
  return 1;
}

/* -- ELU, in float32 */

/* e^x for x in [-104, 0], a few units of a double's last place away: ln 2 is in two parts, the first of
 * which times n is exact. */
static double exp_of_negative(double x) {
  const int32_t n = (int32_t)(x * 1.4426950408889634 - 0.5);
  const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double sum = 1.0;
  for (int k = 13; k > 0; --k) sum = 1.0 + sum * (r / k); /* |r| < 0.35: what follows is < 2^-57 */
  const uint64_t bits = (uint64_t)(n + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return sum * power;
}

/* The float nearest to e^x; 0 where a double does not tell which one that is. */
static int float_exp(double x, float *nearest) {
  const double e = x < -104.0 ? 0.0 : exp_of_negative(x), off = e * 1e-14;
  *nearest = (float)e;
  return (float)(e - off) == (float)(e + off);
}

int32_t ar_elu_table(float input_scale, int32_t input_zero_point, float output_scale,
                     int32_t output_zero_point, int8_t *table) {
  const float steps = 1.0f / output_scale;
  if (!(input_scale >= 0 && input_scale < 1e30f && steps > 0 && steps < 1e30f)) return 0;
  if (!ar_is_small(input_zero_point) || !ar_is_small(output_zero_point)) return 0;
  for (int32_t i = 0; i < BYTES; ++i) {
    const float real = input_scale * (float)((int8_t)i - input_zero_point);
    float exponential = 0;
    if (real < 0 && !float_exp(real, &exponential)) return 0;
    const float transformed = real < 0 ? exponential - 1.0f : real;
    const float scaled = transformed * steps;
    const double size = scaled < 0 ? -(double)scaled : scaled;
    if (!(size < 1 << 30)) return 0;
    const float rounded = (float)(int64_t)(size + 0.5); /* half away from zero */
    const float moved = (scaled < 0 ? -rounded : rounded) + (float)output_zero_point;
    table[i] = (int8_t)ar_clamp((int32_t)moved, -128, 127);
  }
  return 1;
}
