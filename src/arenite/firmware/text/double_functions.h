// Functions that only networks of MNN have, in double precision, so that floats of them are exact.
//
// As in float_functions.h they need no C library. Series and continued fraction of the error
// function are those of mnn/arithmetic/functions.py.

/* The square root: that of a float, after two steps of Newton's. */
static inline double ar_root_double(double x) {
  double scale = 1.0;
  if (!(x > 0.0 && x <= 1.7e308)) return x < 0.0 ? (double)ar_nan() : x;
  while (x > 1e30) x *= 8.673617379884035e-19, scale *= 1073741824.0;
  while (x < 1e-30) x *= 1152921504606846976.0, scale *= 9.313225746154785e-10;
  double root = (double)ar_root((float)x);
  for (int i = 0; i < 2; ++i) root = 0.5 * (root + x / root);
  return root * scale;
}

/* The natural logarithm: a series around 1, in (m - 1) / (m + 1). */
static inline double ar_log_double(double x) {
  if (!(x > 0.0 && x <= 1.7e308)) return (double)ar_log((float)x);
  int32_t e = 0;
  while (x > 4294967296.0) x *= 2.3283064365386963e-10, e += 32;
  while (x < 2.3283064365386963e-10) x *= 4294967296.0, e -= 32;
  while (x > 1.4142135623730951) x *= 0.5, ++e;
  while (x < 0.7071067811865476) x *= 2.0, --e;
  const double s = (x - 1.0) / (x + 1.0), z = s * s;
  double sum = 0.0;
  for (int32_t i = 21; i > 0; i -= 2) sum = sum * z + 1.0 / i;
  return e * 0.6931471805599453 + 2.0 * s * sum;
}

/* log(1 + x) without what the sum loses. */
static inline double ar_log1p_double(double x) {
  const double sum = 1.0 + x;
  return sum == 1.0 || sum > 1e300 ? x : ar_log_double(sum) * (x / (sum - 1.0));
}

/* e^x - 1 without what the difference loses. */
static inline double ar_expm1_double(double x) {
  if (!(x < 100.0)) return x != x ? x : ar_exp_double(x);
  const double power = ar_exp_double(x);
  if (power == 1.0) return x;
  return power - 1.0 == -1.0 ? -1.0 : (power - 1.0) * (x / ar_log_double(power));
}

/* log(1 + e^x). */
static inline float ar_softplus(float x) {
  if (x != x) return x;
  const double size = x < 0.0f ? -(double)x : (double)x;
  return (float)((x > 0.0f ? (double)x : 0.0) + ar_log1p_double(ar_exp_double(-size)));
}

static inline float ar_sinh(float x) {
  return (float)(0.5 * (ar_expm1_double((double)x) - ar_expm1_double(-(double)x)));
}

static inline float ar_cosh(float x) {
  return x != x ? x : (float)(0.5 * (ar_exp_double((double)x) + ar_exp_double(-(double)x)));
}

static inline float ar_asinh(float x) {
  const double size = x < 0.0f ? -(double)x : (double)x, square = size * size;
  if (!(size <= 3.5e38)) return x;
  const double value = ar_log1p_double(size + square / (1.0 + ar_root_double(square + 1.0)));
  return (float)(x < 0.0f ? -value : value);
}

static inline float ar_acosh(float x) {
  const double above = (double)x - 1.0;
  if (!(above >= 0.0)) return ar_nan();
  return (float)ar_log1p_double(above + ar_root_double(above * ((double)x + 1.0)));
}

static inline float ar_atanh(float x) {
  if (!(x >= -1.0f && x <= 1.0f)) return ar_nan();
  if (x == 1.0f || x == -1.0f) return ar_float_of_bits(x > 0.0f ? 0x7f800000u : 0xff800000u);
  return (float)(0.5 * ar_log1p_double(2.0 * (double)x / (1.0 - (double)x)));
}

/* The angle of a slope from 0 to 1: halved twice, then a series. */
static inline double ar_arc_of_small(double slope) {
  for (int i = 0; i < 2; ++i) slope = slope / (1.0 + ar_root_double(1.0 + slope * slope));
  const double z = slope * slope;
  double sum = 0.0;
  for (int32_t i = 25; i > 0; i -= 2) sum = 1.0 / i - sum * z;
  return 4.0 * slope * sum;
}

/* The angle of a slope of at least 0. */
static inline double ar_arc(double slope) {
  if (slope > 1.0) return 1.5707963267948966 - ar_arc_of_small(1.0 / slope);
  return ar_arc_of_small(slope);
}

/* The angle of a point, from -pi to pi. */
static inline float ar_angle(double y, double x) {
  const int down = ar_bits_of_float((float)y) >> 31 != 0u;
  const double up = y < 0.0 ? -y : y, across = x < 0.0 ? -x : x;
  if (y != y || x != x) return ar_nan();
  const int back = ar_bits_of_float((float)x) >> 31 != 0u;
  // clang-format off
  double angle = across == up ? (up == 0.0 ? 0.0 : 0.7853981633974483)
                              : across == 0.0 ? 1.5707963267948966 : ar_arc(up / across);
  // clang-format on
  if (back) angle = 3.141592653589793 - angle;
  return (float)(down ? -angle : angle);
}

static inline float ar_arc_sine(float x) {
  if (!(x >= -1.0f && x <= 1.0f)) return ar_nan();
  return ar_angle((double)x, ar_root_double((1.0 - (double)x) * (1.0 + (double)x)));
}

static inline float ar_arc_cosine(float x) {
  if (!(x >= -1.0f && x <= 1.0f)) return ar_nan();
  return ar_angle(ar_root_double((1.0 - (double)x) * (1.0 + (double)x)), (double)x);
}

/* One minus the error function from 2 on: a continued fraction. */
static inline double ar_error_tail(double x) {
  double fraction = x < 2.0 ? 2.0 : x;
  const double from = fraction;
  for (int32_t level = 40; level > 0; --level) fraction = from + level / 2.0 / fraction;
  return ar_exp_double(-from * from) / (fraction * 1.7724538509055159);
}

/* The error function below 2: a series. */
static inline double ar_error_near(double x) {
  double term = x, sum = x;
  for (int32_t n = 1; n < 40; ++n) term = -term * x * x / n, sum += term / (2 * n + 1);
  return sum * 1.1283791670955126;
}

/* The error function. */
static inline float ar_error(float x) {
  const double size = x < 0.0f ? -(double)x : (double)x;
  if (x != x) return x;
  if (size < 2.0) return (float)ar_error_near((double)x);
  const double far = 1.0 - ar_error_tail(size < 40.0 ? size : 40.0);
  return (float)(x < 0.0f ? -far : far);
}

/* One minus the error function. */
static inline float ar_error_rest(float x) {
  const double size = x < 0.0f ? -(double)x : (double)x;
  if (x != x) return x;
  if (size < 2.0) return (float)(1.0 - ar_error_near((double)x));
  const double tail = ar_error_tail(size < 40.0 ? size : 40.0);
  return (float)(x > 0.0f ? tail : 2.0 - tail);
}

/* What the error function gives x for: Giles' approximation in two pieces. */
static inline float ar_error_inverse(float x) {
  static const double low[9] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  static const double high[9] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                 -0.00367342844,  0.00573950773,  -0.0076224613,
                                 0.00943887047,   1.00167406,     2.83297682};
  const double wide = (double)x, size = wide < 0.0 ? -wide : wide;
  if (size > 1.0 - 1e-8 && size < 1.0 + 1e-8) return 3.40282347e+38f;
  if (!(size < 1.0)) return ar_nan();
  const double w = -ar_log1p_double(-wide * wide);
  const double *p = w < 5.0 ? low : high;
  const double at = w < 5.0 ? w - 2.5 : ar_root_double(w) - 3.0;
  double value = p[0];
  for (int i = 1; i < 9; ++i) value = p[i] + value * at;
  return (float)(value * wide);
}

/* a to the power of a whole number. */
static inline double ar_whole_power(double a, double b) {
  uint32_t n = (uint32_t)(b < 0.0 ? -b : b);
  double power = 1.0;
  for (; n != 0u; n >>= 1) {
    if ((n & 1u) != 0u) power *= a;
    a *= a;
  }
  return b < 0.0 ? 1.0 / power : power;
}

/* a to the power of b. */
static inline double ar_power(double a, double b) {
  const double size = a < 0.0 ? -a : a;
  if (b == 0.0 || a == 1.0) return 1.0;
  if (a != a || b != b) return (double)ar_nan();
  const int is_whole = b > -2147483648.0 && b < 2147483648.0 && b == (double)(int32_t)b;
  if (is_whole && size <= 1e300) return ar_whole_power(a, b);
  if (size == 1.0 && !(b > -1e300 && b < 1e300)) return 1.0;
  if (size == 0.0) return b > 0.0 ? 0.0 : (double)ar_float_of_bits(0x7f800000u);
  const int is_odd = is_whole && ((int32_t)b & 1) != 0;
  if (a < 0.0 && !is_whole && b > -2147483648.0 && b < 2147483648.0 && size <= 1e300)
    return (double)ar_nan();
  const double power = ar_exp_double(b * ar_log_double(size));
  return a < 0.0 && is_odd ? -power : power;
}

/* Halves away from zero; what is no number becomes high. */
static inline float ar_rounded_away(float x, float low, float high) {
  const float inside = x != x ? high : ar_clamp_float(x, low, high);
  const float moved = inside + (inside < 0.0f ? -0.5f : 0.5f);
  if (!(moved > -8388608.0f && moved < 8388608.0f)) return moved;
  return (float)(int32_t)moved;
}

/* a / b cut towards zero; 0 without a divisor. */
static inline int32_t ar_quotient(int32_t a, int32_t b) {
  return b == 0 ? 0 : b == -1 ? ar_wrap(0u - (uint32_t)a) : a / b;
}

/* What is left of a by that; a without a divisor. */
// clang-format off
static inline int32_t ar_rest(int32_t a, int32_t b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}
// clang-format on

/* The rest that has the divisor's sign; 0 without a divisor. */
static inline int32_t ar_modulus(int32_t a, int32_t b) {
  const int32_t rest = b == 0 ? 0 : ar_rest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* A double as an int32: the nearest that there is, 0 for what is no number. */
static inline int32_t ar_saturated(double x) {
  if (x != x) return 0;
  return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}

/* a / b rounded down, from doubles. */
static inline int32_t ar_floor_division(int32_t a, int32_t b) {
  if (b == 0) return a > 0 ? INT32_MAX : a < 0 ? INT32_MIN : 0;
  if (b == -1) return a == INT32_MIN ? INT32_MAX : -a;
  const int32_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
