// Functions of floats that single operators need: roots, logarithms, sines, roundings.
//
// As in float_arithmetic.h they need no C library, and errors are a few
// units in the last place. Polynomials: Cephes (logf.c, sinf.c).

/* No number. */
// clang-format off
static inline float ar_nan(void) {
  return ar_float_of_bits(0x7fc00000u);
}
// clang-format on

/* The integer below, or the number itself; from 2^23 on all are integers. */
static inline float ar_floor(float x) {
  if (!(x > -8388608.0f && x < 8388608.0f)) return x;
  const float whole = (float)(int32_t)x;
  return whole > x ? whole - 1.0f : whole;
}

static inline float ar_ceil(float x) { return -ar_floor(-x); }

/* The integer below a quotient in double precision. */
static inline float ar_floor_quotient(float a, float b) {
  const double x = (double)a / (double)b;
  if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) return (float)x;
  const double whole = (double)(int64_t)x;
  return (float)(whole > x ? whole - 1.0 : whole);
}

/* The nearest integer, halves to the even one: adding 2^23 rounds. */
static inline float ar_nearest(float x) {
  const float size = ar_magnitude(x);
  if (!(size < 8388608.0f)) return x;
  const float near = size + 8388608.0f, whole = near - 8388608.0f;
  return x < 0.0f ? -whole : whole;
}

/* The square root: a guess from the bits, Newton's steps. */
static inline float ar_root(float x) {
  if (!(x > 0.0f && x <= 3.40282347e+38f)) return x < 0.0f ? ar_nan() : x;
  const int small = x < 1.17549435e-30f;
  const float value = small ? x * 16777216.0f : x;
  float y = ar_float_of_bits(0x5f375a86u - (ar_bits_of_float(value) >> 1));
  for (int i = 0; i < 3; ++i) y *= 1.5f - 0.5f * value * y * y;
  const float root = value * y, better = 0.5f * (root + value / root);
  return small ? better * 0.000244140625f : better;
}

/* The natural logarithm of m * 2^e with m between the roots of 1/2 and of 2. */
static inline float ar_log(float x) {
  if (!(x > 0.0f && x <= 3.40282347e+38f))
    return x == 0.0f ? ar_float_of_bits(0xff800000u) : x < 0.0f ? ar_nan() : x;
  const int tiny = x < 1.17549435e-38f; /* numbers without an exponent of their own */
  const uint32_t root_half = 0x3f3504f3u;
  const uint32_t bits = ar_bits_of_float(tiny ? x * 8388608.0f : x) - root_half;
  const float e = (float)(ar_wrap(bits) >> 23) - (tiny ? 23.0f : 0.0f);
  const float m = ar_float_of_bits((bits & 0x007fffffu) + root_half) - 1.0f;
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float little = p * m * z + (e * -2.12194440e-4f - 0.5f * z);
  return e * 0.693359375f + (m + little);
}

/* The sine of r, at most pi/4 in magnitude, moved on by a number of right angles. */
static inline float ar_sine_from(float r, uint32_t quarter) {
  const float z = r * r;
  float s = -1.9515295891e-4f, c = 2.443315711809948e-5f;
  s = s * z + 8.3321608736e-3f;
  s = s * z - 1.6666654611e-1f;
  s = s * z * r + r;
  c = c * z - 1.388731625493765e-3f;
  c = c * z + 4.166664568298827e-2f;
  c = c * z * z + (1.0f - 0.5f * z);
  const float value = (quarter & 1u) != 0u ? c : s;
  return (quarter & 2u) != 0u ? -value : value;
}

/* The same of an angle beyond 8192: right angles are counted in integers. */
static inline float ar_sine_of_large(float x, uint32_t quarter) {
  static const uint32_t two_over_pi[8] = {0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                          0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  const uint32_t bits = ar_bits_of_float(x);
  const uint64_t mantissa = (bits & 0x007fffffu) | 0x00800000u;
  /* x = mantissa * 2^(exponent - 150). Bits of 2/pi that give multiples of 4 are left out. */
  const uint32_t from = ((bits >> 23) & 255u) - 120u, skip = from % 32u;
  const uint32_t *words = two_over_pi + from / 32u;
  const uint64_t high = ((((uint64_t)words[0] << 32) | words[1]) << skip) |
                        (skip != 0u ? words[2] >> (32u - skip) : 0u);
  const uint64_t low = ((((uint64_t)words[2] << 32) | words[3]) << skip) >> 32;
  const uint64_t angle = mantissa * high + ((mantissa * low) >> 32); /* of 2^62 right angles */
  const uint64_t n = (angle + (UINT64_C(1) << 61)) >> 62, left = angle - (n << 62);
  const double parts = left >> 63 != 0u ? -(double)(0u - left) : (double)left;
  const float r = (float)(parts * 3.4061215800865545e-19);
  /* Of a negative angle all turns go the other way. */
  if (bits >> 31 != 0u) return ar_sine_from(-r, quarter - (uint32_t)n);
  return ar_sine_from(r, quarter + (uint32_t)n);
}

/* The sine of an angle, moved on by a number of right angles: 1 for the cosine. */
static inline float ar_sine(float x, uint32_t quarter) {
  if (!(x >= -3.40282347e+38f && x <= 3.40282347e+38f)) return ar_nan();
  if (ar_magnitude(x) > 8192.0f) return ar_sine_of_large(x, quarter);
  /* Adding 1.5 * 2^23 rounds to the nearest integer, of which the last two bits matter. */
  const float shifter = 12582912.0f, shifted = x * 0.636619772367581343f + shifter;
  const float whole = shifted - shifter;
  /* pi/2 in three parts; the first two have so few bits that their products are exact. */
  const float r = ((x - whole * 1.5703125f) - whole * 4.837512969970703125e-4f) -
                  whole * 7.54978995489188216e-8f;
  return ar_sine_from(r, ar_bits_of_float(shifted) + quarter);
}

/* What is left of a when b is taken off as often as it goes: every difference is exact. */
static inline float ar_remainder(float a, float b) {
  const float by = ar_magnitude(b);
  float rest = ar_magnitude(a);
  if (!(rest <= 3.40282347e+38f && by > 0.0f)) return ar_nan();
  while (rest >= by) {
    float step = by;
    while (step <= rest - step) step += step;
    rest -= step;
  }
  return a < 0.0f ? -rest : rest;
}

/* e^x in double precision, of what floats can hold. */
static inline double ar_exp_double(double x) {
  x = x > 800.0 ? 800.0 : x < -800.0 ? -800.0 : x;
  const int32_t n = (int32_t)(x * 1.4426950408889634 + (x < 0.0 ? -0.5 : 0.5));
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double sum = 1.0;
  for (int32_t i = 13; i > 0; --i) sum = 1.0 + sum * r / i;
  for (int32_t i = 0; i < n; ++i) sum *= 2.0;
  for (int32_t i = n; i < 0; ++i) sum *= 0.5;
  return sum;
}
