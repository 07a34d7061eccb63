/* Fourier transforms of one element type: include with
 *
 *   AR_REAL   the type of an element, and AR_WIDE that of a product
 *   AR_BITS   16, 32, or 0 for floats
 *   AR_FFT(n) the name of function or type n for it
 *
 * Arithmetic and its order are those of src/arenite/numeric/fft.py. Real and imaginary parts lie
 * apart, and loops go along memory: over transforms that run side by side as long as there are
 * more of them than points in each, and over points from then on.
 */

typedef struct {
  AR_REAL re, im;
} AR_FFT(number);

/* Real and imaginary parts of many numbers. */
typedef struct {
  AR_REAL *re, *im;
} AR_FFT(numbers);

static inline AR_REAL AR_FFT(plus_real)(AR_REAL a, AR_REAL b) {
#if AR_BITS
  return (AR_REAL)((uint32_t)a + (uint32_t)b);
#else
  return a + b;
#endif
}

static inline AR_REAL AR_FFT(minus_real)(AR_REAL a, AR_REAL b) {
#if AR_BITS
  return (AR_REAL)((uint32_t)a - (uint32_t)b);
#else
  return a - b;
#endif
}

static inline AR_REAL AR_FFT(half)(AR_WIDE sum) {
#if AR_BITS == 16
  return (AR_REAL)(sum >> 1);
#elif AR_BITS
  return (AR_REAL)sum >> 1;
#else
  return sum * 0.5f;
#endif
}

/* a times b plus or minus c times d, rounded to a fraction. */
static inline AR_REAL AR_FFT(round)(AR_WIDE product) {
#if AR_BITS
  return (AR_REAL)(product >> (AR_BITS - 1));
#else
  return product;
#endif
}

static inline AR_REAL AR_FFT(scale)(AR_REAL x, AR_REAL factor) {
#if AR_BITS
  return AR_FFT(round)((AR_WIDE)x * factor + ((AR_WIDE)1 << (AR_BITS - 2)));
#else
  return x * factor;
#endif
}

static inline AR_FFT(number) AR_FFT(plus)(AR_FFT(number) a, AR_FFT(number) b) {
  return (AR_FFT(number)){AR_FFT(plus_real)(a.re, b.re), AR_FFT(plus_real)(a.im, b.im)};
}

static inline AR_FFT(number) AR_FFT(minus)(AR_FFT(number) a, AR_FFT(number) b) {
  return (AR_FFT(number)){AR_FFT(minus_real)(a.re, b.re), AR_FFT(minus_real)(a.im, b.im)};
}

static inline AR_FFT(number) AR_FFT(conjugate)(AR_FFT(number) a) {
  return (AR_FFT(number)){a.re, AR_FFT(minus_real)(0, a.im)};
}

static inline AR_FFT(number) AR_FFT(times)(AR_FFT(number) a, AR_FFT(number) b) {
#if AR_BITS
  /* Unsigned: no factors can leave the range of the sums. */
  const AR_UNSIGNED one_half = (AR_UNSIGNED)1 << (AR_BITS - 2);
  const AR_UNSIGNED re =
      (AR_UNSIGNED)((AR_WIDE)a.re * b.re) - (AR_UNSIGNED)((AR_WIDE)a.im * b.im) + one_half;
  const AR_UNSIGNED im =
      (AR_UNSIGNED)((AR_WIDE)a.re * b.im) + (AR_UNSIGNED)((AR_WIDE)a.im * b.re) + one_half;
  return (AR_FFT(number)){AR_FFT(round)((AR_WIDE)re), AR_FFT(round)((AR_WIDE)im)};
#else
  return (AR_FFT(number)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
#endif
}

/* An integer over a radix; floats stay. */
static inline AR_FFT(number) AR_FFT(divide)(AR_FFT(number) x, int32_t radix) {
#if AR_BITS
  const AR_REAL factor = (AR_REAL)(INT32_MAX >> (32 - AR_BITS)) / (AR_REAL)radix;
  return (AR_FFT(number)){AR_FFT(scale)(x.re, factor), AR_FFT(scale)(x.im, factor)};
#else
  (void)radix;
  return x;
#endif
}

static inline AR_FFT(number) AR_FFT(load)(AR_FFT(numbers) x, int64_t i) {
  return (AR_FFT(number)){x.re[i], x.im[i]};
}

static inline void AR_FFT(store)(AR_FFT(numbers) x, int64_t i, AR_FFT(number) value) {
  x.re[i] = value.re;
  x.im[i] = value.im;
}

/* `count` butterflies side by side. Value q of number i is at q * from + i and turned by twiddle
 * (q - 1) * turn + i * turn_step; result r goes to r * to + i. `roots`: the first two of the
 * radix's own roots of unity. */
typedef struct {
  int64_t count, from, to, turn;
  AR_FFT(number) roots[2];
  int32_t is_inverse;
} AR_FFT(joint);

#define AR_LOAD(q) AR_FFT(divide)(AR_FFT(load)(x, (q) * j->from + i), RADIX)
#define AR_TURNED(q) \
  AR_FFT(times)(AR_LOAD(q), AR_FFT(load)(twiddles, ((q) - 1) * j->turn + i * turn_step))
#define AR_JOIN_ARGUMENTS                                                                          \
  const AR_FFT(joint) * j, AR_REAL *restrict x_re, AR_REAL *restrict x_im, AR_REAL *restrict y_re, \
      AR_REAL *restrict y_im, const AR_REAL *restrict t_re, const AR_REAL *restrict t_im,          \
      int32_t turn_step
#define AR_JOIN_BEGIN                                       \
  const AR_FFT(numbers) x = {x_re, x_im}, y = {y_re, y_im}, \
                        twiddles = {(AR_REAL *)t_re, (AR_REAL *)t_im};

#define RADIX 2
static inline __attribute__((always_inline)) void AR_FFT(join_2)(AR_JOIN_ARGUMENTS) {
  AR_JOIN_BEGIN
  AR_INDEPENDENT
  for (int64_t i = 0; i < j->count; ++i) {
    const AR_FFT(number) a = AR_LOAD(0), b = AR_TURNED(1);
    AR_FFT(store)(y, i, AR_FFT(plus)(a, b));
    AR_FFT(store)(y, j->to + i, AR_FFT(minus)(a, b));
  }
}
#undef RADIX

#define RADIX 4
static inline __attribute__((always_inline)) void AR_FFT(join_4)(AR_JOIN_ARGUMENTS) {
  AR_JOIN_BEGIN
  const int64_t ahead_to = (j->is_inverse ? 3 : 1) * j->to, behind_to = 4 * j->to - ahead_to;
  AR_INDEPENDENT
  for (int64_t i = 0; i < j->count; ++i) {
    const AR_FFT(number) a = AR_LOAD(0), b = AR_TURNED(1), c = AR_TURNED(2), d = AR_TURNED(3);
    const AR_FFT(number) total = AR_FFT(plus)(a, c), difference = AR_FFT(minus)(a, c);
    const AR_FFT(number) sides = AR_FFT(plus)(b, d), between = AR_FFT(minus)(b, d);
    const AR_FFT(number) quarter = {between.im, AR_FFT(minus_real)(0, between.re)};
    const AR_FFT(number) ahead = AR_FFT(plus)(difference, quarter);
    const AR_FFT(number) behind = AR_FFT(minus)(difference, quarter);
    AR_FFT(store)(y, i, AR_FFT(plus)(total, sides));
    AR_FFT(store)(y, ahead_to + i, ahead);
    AR_FFT(store)(y, 2 * j->to + i, AR_FFT(minus)(total, sides));
    AR_FFT(store)(y, behind_to + i, behind);
  }
}
#undef RADIX

#define RADIX 3
static inline __attribute__((always_inline)) void AR_FFT(join_3)(AR_JOIN_ARGUMENTS) {
  AR_JOIN_BEGIN
  const AR_REAL root = j->roots[0].im;
  AR_INDEPENDENT
  for (int64_t i = 0; i < j->count; ++i) {
    const AR_FFT(number) a = AR_LOAD(0), b = AR_TURNED(1), c = AR_TURNED(2);
    const AR_FFT(number) total = AR_FFT(plus)(b, c), between = AR_FFT(minus)(b, c);
    const AR_FFT(number) halves = {AR_FFT(half)(total.re), AR_FFT(half)(total.im)};
    const AR_FFT(number) centre = AR_FFT(minus)(a, halves);
    const AR_REAL down = AR_FFT(scale)(between.im, root), right = AR_FFT(scale)(between.re, root);
    AR_FFT(store)(y, i, AR_FFT(plus)(a, total));
    AR_FFT(store)(
        y, j->to + i,
        (AR_FFT(number)){AR_FFT(minus_real)(centre.re, down), AR_FFT(plus_real)(centre.im, right)});
    AR_FFT(store)(
        y, 2 * j->to + i,
        (AR_FFT(number)){AR_FFT(plus_real)(centre.re, down), AR_FFT(minus_real)(centre.im, right)});
  }
}
#undef RADIX

/* centre + u * p + v * q, of parts. */
static inline AR_FFT(number)
    AR_FFT(mixed)(AR_FFT(number) centre, AR_FFT(number) u, AR_REAL p, AR_FFT(number) v, AR_REAL q) {
  const AR_FFT(number) first = {AR_FFT(scale)(u.re, p), AR_FFT(scale)(u.im, p)};
  const AR_FFT(number) second = {AR_FFT(scale)(v.re, q), AR_FFT(scale)(v.im, q)};
  return AR_FFT(plus)(AR_FFT(plus)(centre, first), second);
}

#define RADIX 5
static inline __attribute__((always_inline)) void AR_FFT(join_5)(AR_JOIN_ARGUMENTS) {
  AR_JOIN_BEGIN
  const AR_FFT(number) p = j->roots[0], q = j->roots[1];
  AR_INDEPENDENT
  for (int64_t i = 0; i < j->count; ++i) {
    const AR_FFT(number) a = AR_LOAD(0), b = AR_TURNED(1), c = AR_TURNED(2), d = AR_TURNED(3),
                         e = AR_TURNED(4);
    const AR_FFT(number) outer = AR_FFT(plus)(b, e), inner = AR_FFT(plus)(c, d);
    const AR_FFT(number) outer_gap = AR_FFT(minus)(b, e), inner_gap = AR_FFT(minus)(c, d);
    const AR_FFT(number) near = AR_FFT(mixed)(a, outer, p.re, inner, q.re);
    const AR_FFT(number) far = AR_FFT(mixed)(a, outer, q.re, inner, p.re);
    const AR_FFT(number) near_side = {
        AR_FFT(plus_real)(AR_FFT(scale)(outer_gap.im, p.im), AR_FFT(scale)(inner_gap.im, q.im)),
        AR_FFT(minus_real)(AR_FFT(minus_real)(0, AR_FFT(scale)(outer_gap.re, p.im)),
                           AR_FFT(scale)(inner_gap.re, q.im))};
    const AR_FFT(number) far_side = {
        AR_FFT(minus_real)(AR_FFT(scale)(inner_gap.im, p.im), AR_FFT(scale)(outer_gap.im, q.im)),
        AR_FFT(minus_real)(AR_FFT(scale)(outer_gap.re, q.im), AR_FFT(scale)(inner_gap.re, p.im))};
    AR_FFT(store)(y, i, AR_FFT(plus)(a, AR_FFT(plus)(outer, inner)));
    AR_FFT(store)(y, j->to + i, AR_FFT(minus)(near, near_side));
    AR_FFT(store)(y, 2 * j->to + i, AR_FFT(plus)(far, far_side));
    AR_FFT(store)(y, 3 * j->to + i, AR_FFT(minus)(far, far_side));
    AR_FFT(store)(y, 4 * j->to + i, AR_FFT(plus)(near, near_side));
  }
}
#undef RADIX

#define AR_JOIN_BY(radix)                                                        \
  if (turn_step) AR_FFT(join_##radix)(j, x.re, x.im, y.re, y.im, t.re, t.im, 1); \
  else AR_FFT(join_##radix)(j, x.re, x.im, y.re, y.im, t.re, t.im, 0);           \
  break

static void AR_FFT(join)(int32_t radix, const AR_FFT(joint) * j, AR_FFT(numbers) x,
                         AR_FFT(numbers) y, AR_FFT(numbers) t, int32_t turn_step) {
  switch (radix) {
    case 2: AR_JOIN_BY(2);
    case 3: AR_JOIN_BY(3);
    case 4: AR_JOIN_BY(4);
    default: AR_JOIN_BY(5);
  }
}
#undef AR_JOIN_BY

static inline AR_FFT(numbers) AR_FFT(at)(AR_FFT(numbers) x, int64_t i) {
  return (AR_FFT(numbers)){x.re + i, x.im + i};
}

/* The complex transform of a, by way of b; where the result is. */
static AR_FFT(numbers)
    AR_FFT(transform)(const ar_fft_plan *plan, AR_FFT(numbers) a, AR_FFT(numbers) b) {
  int64_t points = 1, beside = plan->half;
  int lies_by_points = 0;
  AR_REAL *tables = (AR_REAL *)((uint8_t *)plan + plan->tables);
  for (int32_t stage = plan->stages - 1; stage >= 0; --stage) {
    const int32_t radix = plan->factors[stage];
    const int64_t turns = (radix - 1) * points;
    const AR_FFT(numbers) twiddles = {tables, tables + turns};
    AR_FFT(numbers) swap;
    if (!lies_by_points && beside / radix < points) {
      for (int64_t s = 0; s < beside; ++s)
        for (int64_t u = 0; u < points; ++u)
          AR_FFT(store)(b, s * points + u, AR_FFT(load)(a, u * beside + s));
      swap = a, a = b, b = swap;
      lies_by_points = 1;
    }
    const int64_t sub = beside / radix;
    AR_FFT(joint) j = {.turn = points, .is_inverse = plan->is_inverse};
    const AR_REAL *roots = tables + 2 * turns;
    j.roots[0] = (AR_FFT(number)){roots[0], roots[1]};
    j.roots[1] = (AR_FFT(number)){roots[2], roots[3]};
    if (lies_by_points) {
      j.count = points, j.from = beside / radix * points, j.to = points;
      for (int64_t s = 0; s < sub; ++s)
        AR_FFT(join)(radix, &j, AR_FFT(at)(a, s * points), AR_FFT(at)(b, s * points * radix),
                     twiddles, 1);
    } else {
      j.count = sub, j.from = sub, j.to = points * sub;
      for (int64_t u = 0; u < points; ++u)
        AR_FFT(join)(radix, &j, AR_FFT(at)(a, u * beside), AR_FFT(at)(b, u * sub),
                     AR_FFT(at)(twiddles, u), 0);
    }
    swap = a, a = b, b = swap;
    tables += 2 * turns + 4;
    points *= radix;
    beside = sub;
  }
  return a;
}

/* The tables of a plan: by stage, innermost first, twiddles and two roots; then those that make
 * the transform a real one. */
static void AR_FFT(fill_tables)(const FftParams *p, ar_fft_plan *plan) {
  AR_REAL *tables = (AR_REAL *)((uint8_t *)plan + plan->tables);
  int64_t points = 1, beside = plan->half;
  for (int32_t stage = plan->stages - 1; stage >= 0; --stage) {
    const int32_t radix = plan->factors[stage];
    const int64_t turns = (radix - 1) * points;
    beside /= radix;
    for (int64_t q = 1; q < radix; ++q)
      for (int64_t u = 0; u < points; ++u) {
        const int32_t *twiddle = p->twiddles.data + 2 * (q * u * beside);
        tables[(q - 1) * points + u] = AR_FFT(of_bits)(twiddle[0]);
        tables[turns + (q - 1) * points + u] = AR_FFT(of_bits)(twiddle[1]);
      }
    tables += 2 * turns;
    for (int64_t r = 1; r <= 2; ++r) {
      const int32_t *root = p->twiddles.data + 2 * (r * points * beside % plan->half);
      *tables++ = AR_FFT(of_bits)(root[0]);
      *tables++ = AR_FFT(of_bits)(root[1]);
    }
    points *= radix;
  }
  for (int64_t part = 0; part < 2; ++part)
    for (int64_t k = 0; k < plan->half / 2; ++k)
      *tables++ = AR_FFT(of_bits)(p->real_twiddles.data[2 * k + part]);
}

static inline AR_FFT(numbers) AR_FFT(real_twiddles)(const ar_fft_plan *plan) {
  AR_REAL *re = (AR_REAL *)((uint8_t *)plan + plan->real_tables);
  return (AR_FFT(numbers)){re, re + plan->half / 2};
}

/* One row of real numbers to half + 1 pairs. */
static void AR_FFT(forward)(const ar_fft_plan *plan, const AR_REAL *x, int64_t size, AR_REAL *y,
                            uint8_t *workspace) {
  const int64_t half = plan->half;
  AR_REAL *work = (AR_REAL *)workspace;
  const AR_FFT(numbers) a = {work, work + half}, b = {work + 2 * half, work + 3 * half};
  for (int64_t i = 0; i < size / 2; ++i)
    AR_FFT(store)(a, i, (AR_FFT(number)){x[2 * i], x[2 * i + 1]});
  for (int64_t i = size / 2; i < half; ++i)
    AR_FFT(store)(a, i, (AR_FFT(number)){2 * i < size ? x[2 * i] : 0, 0});
  const AR_FFT(numbers) z = AR_FFT(transform)(plan, a, b);
  const AR_FFT(numbers) twiddles = AR_FFT(real_twiddles)(plan);
  const AR_FFT(number) first = AR_FFT(divide)(AR_FFT(load)(z, 0), 2);
  y[0] = AR_FFT(plus_real)(first.re, first.im);
  y[2 * half] = AR_FFT(minus_real)(first.re, first.im);
  y[1] = y[2 * half + 1] = 0;
  AR_INDEPENDENT
  for (int64_t k = 1; k <= half / 2; ++k) {
    const AR_FFT(number) near = AR_FFT(divide)(AR_FFT(load)(z, k), 2);
    const AR_FFT(number) far = AR_FFT(divide)(AR_FFT(conjugate)(AR_FFT(load)(z, half - k)), 2);
    const AR_FFT(number) even = AR_FFT(plus)(near, far);
    const AR_FFT(number) odd =
        AR_FFT(times)(AR_FFT(minus)(near, far), AR_FFT(load)(twiddles, k - 1));
    y[2 * k] = AR_FFT(half)((AR_WIDE)even.re + odd.re);
    y[2 * k + 1] = AR_FFT(half)((AR_WIDE)even.im + odd.im);
    y[2 * (half - k)] = AR_FFT(half)((AR_WIDE)even.re - odd.re);
    y[2 * (half - k) + 1] = AR_FFT(half)((AR_WIDE)odd.im - even.im);
  }
}

/* One row of half + 1 pairs to real numbers. */
static void AR_FFT(inverse)(const ar_fft_plan *plan, const AR_REAL *x, AR_REAL *y,
                            uint8_t *workspace) {
  const int64_t half = plan->half;
  AR_REAL *work = (AR_REAL *)workspace;
  const AR_FFT(numbers) a = {work, work + half}, b = {work + 2 * half, work + 3 * half};
  const AR_FFT(numbers) twiddles = AR_FFT(real_twiddles)(plan);
  const AR_FFT(number)
      ends = {AR_FFT(plus_real)(x[0], x[2 * half]), AR_FFT(minus_real)(x[0], x[2 * half])};
  AR_FFT(store)(a, 0, AR_FFT(divide)(ends, 2));
  AR_INDEPENDENT
  for (int64_t k = 1; k <= half / 2; ++k) {
    const AR_REAL *mirrored = x + 2 * (half - k);
    const AR_FFT(number) near = AR_FFT(divide)((AR_FFT(number)){x[2 * k], x[2 * k + 1]}, 2);
    const AR_FFT(number) far =
        AR_FFT(divide)(AR_FFT(conjugate)((AR_FFT(number)){mirrored[0], mirrored[1]}), 2);
    const AR_FFT(number) even = AR_FFT(plus)(near, far);
    const AR_FFT(number) odd =
        AR_FFT(times)(AR_FFT(minus)(near, far), AR_FFT(load)(twiddles, k - 1));
    AR_FFT(store)(a, k, AR_FFT(plus)(even, odd));
    AR_FFT(store)(a, half - k, AR_FFT(conjugate)(AR_FFT(minus)(even, odd)));
  }
  const AR_FFT(numbers) z = AR_FFT(transform)(plan, a, b);
  for (int64_t i = 0; i < half; ++i) {
#if AR_BITS
    y[2 * i] = z.re[i];
    y[2 * i + 1] = z.im[i];
#else
    y[2 * i] = z.re[i] / (float)(2 * half);
    y[2 * i + 1] = z.im[i] / (float)(2 * half);
#endif
  }
}

#undef AR_LOAD
#undef AR_TURNED
#undef AR_JOIN_ARGUMENTS
#undef AR_JOIN_BEGIN
#undef AR_REAL
#undef AR_WIDE
#undef AR_UNSIGNED
#undef AR_BITS
#undef AR_FFT
