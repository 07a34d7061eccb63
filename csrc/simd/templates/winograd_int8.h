/* int8 convolutions at Winograd's points, stride 1: what instruction sets share; see
 * convolution/winograd_conv_2d.h.
 *
 * Define before this:
 * - int16s, a vector of them, with add, subtract, twice and four_times: winograd_int16s.h;
 * - int32s, with plus, minus and times(value, power of two).
 */

/* -- to the points ----------------------------------------------------------------------------- */

/* Six inputs to the values at six points. */
AR_INLINE void at_six(const int16s *x, int16s *v) {
  const int16s even = subtract(x[4], four_times(x[2])), odd = subtract(x[3], four_times(x[1]));
  const int16s even2 = subtract(x[4], x[2]), odd2 = twice(subtract(x[3], x[1]));
  v[0] = add(four_times(subtract(x[0], x[2])), even2);
  v[1] = add(even, odd);
  v[2] = subtract(even, odd);
  v[3] = add(even2, odd2);
  v[4] = subtract(even2, odd2);
  v[5] = subtract(subtract(x[5], x[3]), twice(odd2));
}

/* -- products ---------------------------------------------------------------------------------- */

/* multiply, which is defined behind this, for P tiles. */
typedef void (*multiply_fn)(const ar_winograd *, const uint8_t *, const int8_t *, int32_t *);
#define MULTIPLY(P)                                                                            \
  static void multiply_##P(const ar_winograd *w, const uint8_t *values, const int8_t *weights, \
                           int32_t *products) {                                                \
    multiply(P, w, values, weights, products);                                                 \
  }

/* -- and back ---------------------------------------------------------------------------------- */

/* Values at six points to four outputs, 24 times what they are. */
AR_INLINE void from_six(const int32s *m, int32s *y) {
  const int32s sum = plus(m[1], m[2]), difference = minus(m[1], m[2]);
  const int32s sum2 = plus(m[3], m[4]), difference2 = minus(m[3], m[4]);
  y[0] = plus(plus(m[0], sum), sum2);
  y[1] = plus(difference, times(difference2, 1));
  y[2] = plus(sum, times(sum2, 2));
  y[3] = plus(plus(difference, times(difference2, 3)), plus(m[5], times(m[5], 1)));
}

/* -- tiles ------------------------------------------------------------------------------------- */

/* The first output of a tile; the last row and column of tiles start early enough to be whole. */
typedef struct {
  int32_t y, x;
} corner;

static corner corner_of(const ar_winograd *w, int32_t tile) {
  const int32_t y = tile / w->tile_columns * AR_WINOGRAD_OUT;
  const int32_t x = tile % w->tile_columns * AR_WINOGRAD_OUT;
  const int32_t last_y = w->rows - AR_WINOGRAD_OUT, last_x = w->columns - AR_WINOGRAD_OUT;
  return (corner){y < last_y ? y : last_y, x < last_x ? x : last_x};
}
