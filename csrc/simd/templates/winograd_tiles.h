/* int8 convolutions at Winograd's points, tile by tile, on x86: what instruction sets share; see
 * convolution/winograd_conv_2d.h.
 *
 * Include winograd_int16s.h and winograd_int8.h, and define before this:
 * - STRIDES, 1 or 2: up to which there are kernels;
 * - MOST_TILES, how many multiply_variants[] multiply together, by their number;
 * - finish_tile(winograd, products, block, valid channels, output).
 */

/* -- to the points ----------------------------------------------------------------------------- */

/* Inputs `step` apart to the values at the four finite points of five. */
AR_INLINE void at_four(const __m256i *x, int step, __m256i *v) {
  const __m256i x1 = x[step], x2 = x[2 * step], x3 = x[3 * step];
  const __m256i low = subtract(x3, x2), odd = twice(x1);
  v[3] = subtract(x3, x1);
  v[0] = add(twice(subtract(x[0], x2)), v[3]);
  v[1] = subtract(low, odd);
  v[2] = subtract(add(low, odd), twice(x2));
}

/* Nine inputs to those of the even ones at five points, and of the odd ones at four. */
AR_INLINE void at_five(const __m256i *x, __m256i *v) {
  at_four(x, 2, v);
  v[4] = subtract(subtract(x[8], x[4]), twice(v[3]));
  at_four(x + 1, 2, v + 5);
}

AR_INLINE void at_points(const int STRIDE, const __m256i *x, __m256i *v) {
  if (STRIDE == 1) at_six(x, v);
  else at_five(x, v);
}

/* Where a tile's value lies, in units of `depth`: value x of a row and y of a column, in the
 * order of at_points. Those of a point follow each other. */
AR_INLINE int place_of(const int STRIDE, int y, int x) {
  if (STRIDE == 1) return 6 * y + x;
  const int odd_y = y > 4, odd_x = x > 4, i = odd_y ? y - 5 : y, j = odd_x ? x - 5 : x;
  const int phases_y = i < 4 ? 2 : 1, phases_x = j < 4 ? 2 : 1;
  return 18 * i + 2 * phases_y * j + odd_y * phases_x + odd_x;
}

enum { MOST_INPUTS = 9 };

/* Sixteen channels of one tile. */
AR_INLINE void transform_input(const int STRIDE, const uint8_t *input, ptrdiff_t row_bytes,
                               ptrdiff_t depth, int16_t *values) {
  const int COUNT = STRIDE == 1 ? 6 : 9;
  __m256i columns[MOST_INPUTS][MOST_INPUTS];
  for (int x = 0; x < COUNT; ++x, input += depth) {
    __m256i column[MOST_INPUTS], v[MOST_INPUTS];
#pragma clang loop unroll(full)
    for (int y = 0; y < COUNT; ++y)
      column[y] = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(input + y * row_bytes)));
    at_points(STRIDE, column, v);
#pragma clang loop unroll(full)
    for (int y = 0; y < COUNT; ++y) columns[y][x] = v[y];
  }
  for (int y = 0; y < COUNT; ++y) {
    __m256i v[MOST_INPUTS];
    at_points(STRIDE, columns[y], v);
#pragma clang loop unroll(full)
    for (int x = 0; x < COUNT; ++x)
      _mm256_storeu_si256((__m256i *)(values + place_of(STRIDE, y, x) * depth), v[x]);
  }
}

/* -- tiles ------------------------------------------------------------------------------------- */

/* All channels of one tile; the last vector starts early enough to be whole. */
static void transform_tile(const ar_winograd *w, const uint8_t *input, int16_t *values) {
  for (int32_t c = 0; c < w->depth; c += AR_WINOGRAD_DEPTH) {
    const int32_t first = c + AR_WINOGRAD_DEPTH > w->depth ? w->depth - AR_WINOGRAD_DEPTH : c;
    if (STRIDES == 1 || w->stride == 1)
      transform_input(1, input + first, w->row_bytes, w->depth, values + first);
    else transform_input(2, input + first, w->row_bytes, w->depth, values + first);
  }
}

static void run_winograd(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                         const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int64_t tile_values = (int64_t)w->values * w->depth;
  const int64_t tile_products = AR_BLOCK * w->points * w->points;
  int16_t *values = (int16_t *)workspace;
  int32_t *products = (int32_t *)(workspace + ar_winograd_values_bytes(w));
  const int32_t all = w->tile_rows * w->tile_columns;
  const int32_t strips = (all + AR_WINOGRAD_TILES - 1) / AR_WINOGRAD_TILES;
  const int32_t strip = (all + strips - 1) / strips; /* tiles of it */
  const int32_t times = (strip + MOST_TILES - 1) / MOST_TILES;
  const int32_t at_once = (strip + times - 1) / times;
  for (int32_t number = 0; number < all; number += strip) {
    /* The last of all start early enough to be as many. */
    const int32_t first = number + strip > all ? all - strip : number;
    for (int32_t t = 0; t < strip; ++t) {
      const corner at = corner_of(w, first + t);
      const ptrdiff_t pixel = (ptrdiff_t)at.y * w->row_bytes + (ptrdiff_t)at.x * w->depth;
      transform_tile(w, input + w->stride * pixel, values + t * tile_values);
    }
    for (int32_t b = 0; b < w->blocks; ++b) {
      const int8_t *packed = weights + b * tile_values * 2 * AR_BLOCK;
      for (int32_t i = 0; i < strip; i += at_once) {
        const int32_t t = i + at_once > strip ? strip - at_once : i;
        multiply_variants[at_once](w, (const uint8_t *)(values + t * tile_values), packed,
                                   products + t * tile_products);
      }
      for (int32_t t = 0; t < strip; ++t) {
        const corner at = corner_of(w, first + t);
        const ptrdiff_t place = (ptrdiff_t)at.y * w->columns + at.x;
        finish_tile(w, products + t * tile_products, &blocks[b], w->gemm.channels - AR_BLOCK * b,
                    output + place * w->gemm.channels + AR_BLOCK * b);
      }
    }
  }
}
