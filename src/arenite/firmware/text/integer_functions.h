// The arithmetic of integers: the C side of numeric/fixedpoint.py and numeric/gemmlowp.py.
// Facts: gemmlowp fixedpoint.h; TFLM kernels/internal/common.h. Nothing here overflows: what TFLM
// lets wrap wraps as unsigned numbers do.
//
// The engine has these in a form of its own (csrc/arithmetic/fixedpoint.h): without branches, for
// vectors, and with one rounding where a target rounds once.

/* The low 32 bits as a number with a sign. */
static inline int32_t ar_wrap(uint32_t x) {
  return x <= 0x7fffffffu ? (int32_t)x : -(int32_t)(~x) - 1;
}

/* a * b, wrapping. */
static inline int32_t ar_multiply(int32_t a, int32_t b) {
  return ar_wrap((uint32_t)a * (uint32_t)b);
}

/* a + b, wrapping. */
static inline int32_t ar_add(int32_t a, int32_t b) { return ar_wrap((uint32_t)a + (uint32_t)b); }

static inline int32_t ar_clamp(int32_t x, int32_t low, int32_t high) {
  if (x < low) return low;
  return x > high ? high : x;
}

/* x + offset, clamped, where the sum may leave int32; offsets are zero points. */
static inline int32_t ar_clamp_offset(int32_t x, int32_t offset, int32_t low, int32_t high) {
  const int64_t sum = (int64_t)x + offset;
  if (sum < low) return low;
  return sum > high ? high : (int32_t)sum;
}

/* The high 32 bits of 2 * a * b, rounded. */
static inline int32_t ar_high_product(int32_t a, int32_t b) {
  const int64_t high = ((int64_t)a * b + (INT64_C(1) << 30)) >> 31;
  return high > INT32_MAX ? INT32_MAX : (int32_t)high;
}

/* x / 2^exponent, halves away from zero. */
static inline int32_t ar_divide_by_power(int32_t x, int32_t exponent) {
  const int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31), rounded twice; a left shift wraps. */
static inline int32_t ar_rescale(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
  return ar_divide_by_power(ar_high_product(ar_wrap((uint32_t)x << left), multiplier), right);
}

/* The high 32 bits of a * b. */
static inline int32_t ar_high_word(int32_t a, int32_t b) {
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
  /* Of products of halves: these cores have none of 64 bits. */
  const uint32_t low_a = (uint32_t)a & 0xffffu, low_b = (uint32_t)b & 0xffffu;
  const int32_t high_a = a >> 16, high_b = b >> 16;
  const uint32_t low = low_a * low_b;
  const int32_t middle = high_a * (int32_t)low_b + (int32_t)(low >> 16);
  const int32_t other = (int32_t)low_a * high_b + (middle & 0xffff);
  return high_a * high_b + (middle >> 16) + (other >> 16);
#else
  return (int32_t)(((int64_t)a * b) >> 32);
#endif
}

/* ar_rescale(x, multiplier, -1 - shift) for |x| < 2^29, multiplier >= 0 and shift in [0, 30]. */
static inline int32_t ar_rescale_small(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t high = (ar_high_word(4 * x, multiplier) + 1) >> 1;
  const int32_t away = high + (high >> 31); /* halves of negative numbers go down */
  return ((away >> shift) + 1) >> 1;
}

/* The same of 64 bits with a multiplier of 16, rounded once; what leaves int32 wraps. */
static inline int32_t ar_rescale_wide(int64_t x, int32_t multiplier, int32_t shift) {
  const int32_t reduced = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
  const uint64_t product = (uint64_t)x * (uint64_t)(int64_t)reduced;
  const uint64_t rounded = product + (UINT64_C(1) << (14 - shift));
  const uint64_t sign = rounded >> 63 ? ~UINT64_C(0) : 0;
  return ar_wrap((uint32_t)(((rounded ^ sign) >> (15 - shift)) ^ sign));
}

/* a + b, wrapping. */
static inline int64_t ar_add_wide(int64_t a, int64_t b) {
  const uint64_t sum = (uint64_t)a + (uint64_t)b;
  return sum <= (uint64_t)INT64_MAX ? (int64_t)sum : -(int64_t)(~sum) - 1;
}

/* Number `index` of packed int4 values, the low half of a byte first. */
static inline int32_t ar_nibble(const uint8_t *packed, int32_t index) {
  const int32_t value = (packed[index >> 1] >> (4 * (index & 1))) & 15;
  return value < 8 ? value : value - 16;
}

/* x * 2^exponent, saturated. */
static inline int32_t ar_saturating_shift(int32_t x, int32_t exponent) {
  const int64_t wide = (int64_t)x * (INT64_C(1) << exponent);
  if (wide > INT32_MAX) return INT32_MAX;
  return wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

static inline int32_t ar_leading_zeros(uint32_t x) {
  int32_t zeros = 0;
  while (zeros < 32 && !(x & 0x80000000u)) {
    x <<= 1;
    ++zeros;
  }
  return zeros;
}

/* 1 / (1 + x) for x in [0, 1), no integer bits: Newton's division. */
static inline int32_t ar_one_over_one_plus(int32_t x) {
  const int64_t sum = (int64_t)x + INT32_MAX;
  const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t inverse = 1515870810 + ar_high_product(half, -1010580540); /* 48/17, -32/17 */
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - ar_high_product(half, inverse);
    inverse += ar_saturating_shift(ar_high_product(inverse, error), 2);
  }
  return ar_saturating_shift(inverse, 1);
}

/* static_cast<int32_t>(round(x)), halves away from zero; what int32 does not hold is INT32_MIN. */
static inline int32_t ar_round(float x) {
  if (!(x > -2147483648.0f && x < 2147483648.0f)) return INT32_MIN;
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole; /* exact: from 2^23 on there is none */
  if (rest >= 0.5f) return whole + 1;
  return rest <= -0.5f ? whole - 1 : whole;
}

/* A function of int16 in a table of 513 values, interpolated. */
static inline int32_t ar_table_int16(const int16_t *table, int32_t x) {
  const int32_t index = 256 + (x >> 7), base = table[index];
  return base + (((table[index + 1] - base) * (x & 127) + 64) >> 7);
}

/* x in steps of 1 / (3 * 4096): x * multiplier / 2^shift; multiplier 0 stands for 3 * 2^shift. */
static inline int32_t ar_sigmoid_input(int32_t x, int32_t multiplier, int32_t shift) {
  if (!multiplier) return ar_wrap((uint32_t)x * (UINT32_C(3) << shift));
  const uint32_t half = shift > 0 ? UINT32_C(1) << (shift - 1) : 0;
  return ar_wrap((uint32_t)x * (uint32_t)multiplier + half) >> shift;
}

/* The sigmoid of a magnitude in a table of 256 values, in steps of the table's times 2^bits. */
static inline int32_t ar_sigmoid(const uint16_t *table, int32_t x, int32_t bits, int32_t most) {
  const uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x, whole = size >> bits;
  if (whole >= 255) return most;
  const int32_t base = table[whole], rest = (int32_t)(size & ((UINT32_C(1) << bits) - 1));
  return base * (1 << bits) + rest * (table[whole + 1] - base);
}

/* Of what ar_sigmoid_input gives, in steps of 2^-15. */
static inline int32_t ar_logistic_int16(const uint16_t *table, int32_t x) {
  const int32_t value = ar_sigmoid(table, x, 9, 0x7fff << 10);
  return (x >= 0 ? value + 512 : (1 << 25) - value + 511) >> 10;
}

static inline int32_t ar_tanh_int16(const uint16_t *table, int32_t x) {
  const int32_t value = ar_sigmoid(table, x, 8, 0xffff << 8) - (1 << 23);
  return (x >= 0 ? value + 128 : 127 - value) >> 8;
}
