// The functions of floats that generated kernels share, without a C library.
//
// Errors are a few units in the last place, as those of C's libraries are; NaN stays NaN.
// Polynomials: Cephes (expf.c, tanhf.c).

static inline float ar_clamp_float(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}

static inline float ar_magnitude(float x) { return x > 0.0f ? x : 0.0f - x; }

/* Bits as a float, and back. */
static inline float ar_float_of_bits(uint32_t bits) {
  // clang-format off
  union { uint32_t bits; float value; } both;
  // clang-format on
  both.bits = bits;
  return both.value;
}

static inline uint32_t ar_bits_of_float(float value) {
  // clang-format off
  union { uint32_t bits; float value; } both;
  // clang-format on
  both.value = value;
  return both.bits;
}

/* Infinities become the largest numbers. */
static inline float ar_finite(float x) {
  return ar_clamp_float(x, -3.40282347e+38f, 3.40282347e+38f);
}

/* e^x: a polynomial around 0, times a power of two in two factors that floats can hold. */
static inline float ar_exp(float x) {
  const float shifter = 12582912.0f; /* adding 1.5 * 2^23 rounds to the nearest integer */
  x = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
  const float shifted = x * 1.44269504f + shifter;
  const float whole = shifted - shifter;
  const uint32_t n = ar_bits_of_float(shifted) - ar_bits_of_float(shifter);
  const float r = x - whole * 0.693359375f + whole * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const uint32_t half = n / 2 | (n & 0x80000000u); /* signed, for what NaN gives too */
  return p * ar_float_of_bits((half + 127) << 23) * ar_float_of_bits((n - half + 127) << 23);
}

/* e^x - 1 for x < 0; near 0 the difference would lose digits. */
static inline float ar_expm1_of_negative(float x) {
  if (!(x > -0.5f)) return ar_exp(x) - 1.0f;
  float p = 1.0f + x * (1.0f / 8.0f);
  p = 1.0f + x * (1.0f / 7.0f) * p;
  p = 1.0f + x * (1.0f / 6.0f) * p;
  p = 1.0f + x * (1.0f / 5.0f) * p;
  p = 1.0f + x * (1.0f / 4.0f) * p;
  p = 1.0f + x * (1.0f / 3.0f) * p;
  p = 1.0f + x * 0.5f * p;
  return x * p;
}

/* 1 / (1 + e^-x), and e^x below -9, as TFLM has it. */
static inline float ar_logistic(float x) {
  return x < -9.0f ? ar_exp(x) : 1.0f / (1.0f + ar_exp(-x));
}

static inline float ar_tanh(float x) {
  const float size = ar_magnitude(x);
  if (size >= 0.625f) {
    const float large = 1.0f - 2.0f / (ar_exp(2.0f * size) + 1.0f);
    return x < 0.0f ? -large : large;
  }
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  return p * z * x + x;
}
