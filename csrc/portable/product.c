#include "product.h"

#include <string.h>

#include "arithmetic/fixedpoint.h"

#define AR_ALWAYS_INLINE static inline __attribute__((always_inline))

int64_t AR_NAME(packed_bytes)(int32_t type, int64_t depth, int64_t columns) {
  return ar_align64(depth * ar_padded_columns(columns) * (type == AR_FLOAT32 ? 4 : 1));
}

void AR_NAME(pack_columns)(const ar_matrix_source *source, int64_t depth, int64_t first,
                           int64_t columns, void *packed) {
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t block = (first + column) / AR_COLUMNS, lane = (first + column) % AR_COLUMNS;
    const int64_t to = block * depth * AR_COLUMNS + lane;
    const int64_t from = source->first + column * source->column_step;
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t i = from + k * source->depth_step, place = to + k * AR_COLUMNS;
      if (source->type == AR_FLOAT32) ((float *)packed)[place] = ((const float *)source->data)[i];
      else if (source->type == AR_INT4) ((int8_t *)packed)[place] = ar_int4_at(source->data, i);
      else ((int8_t *)packed)[place] = ((const int8_t *)source->data)[i];
    }
  }
}

void AR_NAME(pack_matrix)(const ar_matrix_source *source, int64_t depth, int64_t columns,
                          void *packed) {
  memset(packed, 0, (size_t)AR_NAME(packed_bytes)(source->type, depth, columns));
  AR_NAME(pack_columns)(source, depth, 0, columns, packed);
}

/* -- products: a tile is some rows by one block of columns, its sums stay in registers */

#define AR_TILE(name, X, W, SUM, PRODUCT)                                                        \
  AR_ALWAYS_INLINE void name(const int ROWS, const X *restrict x, int64_t x_step, int64_t depth, \
                             const W *restrict w, SUM *restrict sums, int64_t sums_step) {       \
    SUM acc[4][AR_COLUMNS];                                                                      \
    for (int r = 0; r < ROWS; ++r)                                                               \
      for (int c = 0; c < AR_COLUMNS; ++c) acc[r][c] = 0;                                        \
    for (int64_t k = 0; k < depth; ++k, w += AR_COLUMNS)                                         \
      for (int r = 0; r < ROWS; ++r)                                                             \
        for (int c = 0; c < AR_COLUMNS; ++c) acc[r][c] += PRODUCT(x[r * x_step + k], w[c]);      \
    for (int r = 0; r < ROWS; ++r)                                                               \
      for (int c = 0; c < AR_COLUMNS; ++c) sums[r * sums_step + c] = acc[r][c];                  \
  }

#define WRAPPING(a, b) ((uint32_t)(a) * (uint32_t)(int32_t)(b))
#define PLAIN(a, b) ((a) * (b))

AR_TILE(tile_int32, int32_t, int8_t, uint32_t, WRAPPING)
AR_TILE(tile_float, float, float, float, PLAIN)

void AR_NAME(product_int32)(const int32_t *x, int64_t rows, int64_t depth, const int8_t *packed,
                            int64_t columns, int32_t *sums) {
  const int64_t step = ar_padded_columns(columns);
  for (int64_t c = 0; c < columns; c += AR_COLUMNS, packed += depth * AR_COLUMNS) {
    uint32_t *to = (uint32_t *)sums + c;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4)
      tile_int32(4, x + r * depth, depth, depth, packed, to + r * step, step);
    for (; r < rows; ++r) tile_int32(1, x + r * depth, depth, depth, packed, to + r * step, step);
  }
}

void AR_NAME(product_float)(const float *x, int64_t rows, int64_t depth, const float *packed,
                            int64_t columns, float *sums) {
  const int64_t step = ar_padded_columns(columns);
  for (int64_t c = 0; c < columns; c += AR_COLUMNS, packed += depth * AR_COLUMNS) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4)
      tile_float(4, x + r * depth, depth, depth, packed, sums + r * step + c, step);
    for (; r < rows; ++r)
      tile_float(1, x + r * depth, depth, depth, packed, sums + r * step + c, step);
  }
}

/* So many products of 17 and 8 bits fit into int32. */
enum { EXACT_DEPTH = 128 };

void AR_NAME(product_int64)(const int32_t *x, int64_t rows, int64_t depth, const int8_t *packed,
                            int64_t columns, int64_t *sums) {
  const int64_t step = ar_padded_columns(columns);
  memset(sums, 0, (size_t)(rows * step * 8));
  for (int64_t c = 0; c < columns; c += AR_COLUMNS)
    for (int64_t k = 0; k < depth; k += EXACT_DEPTH) {
      const int64_t part = depth - k < EXACT_DEPTH ? depth - k : EXACT_DEPTH;
      const int8_t *w = packed + c * depth + k * AR_COLUMNS;
      for (int64_t r = 0; r < rows; ++r) {
        uint32_t partial[AR_COLUMNS];
        tile_int32(1, x + r * depth + k, depth, part, w, partial, AR_COLUMNS);
        for (int i = 0; i < AR_COLUMNS; ++i) sums[r * step + c + i] += (int32_t)partial[i];
      }
    }
}

void AR_NAME(product)(const ar_finish *finish, const void *x, int64_t rows, int64_t depth,
                      const void *packed, int64_t columns, void *sums) {
  if (finish->type == AR_FLOAT32) AR_NAME(product_float)(x, rows, depth, packed, columns, sums);
  else if (finish->wide) AR_NAME(product_int64)(x, rows, depth, packed, columns, sums);
  else AR_NAME(product_int32)(x, rows, depth, packed, columns, sums);
}

void AR_NAME(add_offset)(const ar_finish *finish, int32_t offset, const int32_t *x, int64_t rows,
                         int64_t depth, int64_t columns, void *sums) {
  const int64_t step = ar_padded_columns(columns);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += x[r * depth + k];
    sum *= offset;
    if (finish->wide) {
      for (int64_t c = 0; c < columns; ++c) ((int64_t *)sums)[r * step + c] += sum;
    } else {
      uint32_t *to = (uint32_t *)sums + r * step;
      for (int64_t c = 0; c < columns; ++c) to[c] += (uint32_t)sum;
    }
  }
}

void AR_NAME(widen)(const void *x, int32_t type, int32_t offset, int64_t count,
                    int32_t *restrict wide) {
  if (type == AR_INT8) {
    const int8_t *from = x;
    for (int64_t i = 0; i < count; ++i) wide[i] = from[i] + offset;
  } else {
    const int16_t *from = x;
    for (int64_t i = 0; i < count; ++i) wide[i] = from[i] + offset;
  }
}

/* -- from sums to outputs */

ar_status AR_NAME(check_finish)(const ar_finish *finish, int64_t channels) {
  if (finish->type == AR_FLOAT32) return finish->wide ? AR_UNSUPPORTED : AR_OK;
  if (finish->wide && finish->type != AR_INT16) return AR_UNSUPPORTED;
  if (finish->multiplier.count < channels || finish->shift.count < channels) return AR_UNSUPPORTED;
  for (int64_t i = 0; i < channels; ++i) {
    const int32_t shift = finish->shift.data[i];
    if (finish->wide) {
      if (!ar_is_wide_rescale(shift)) return AR_UNSUPPORTED;
      continue;
    }
    if (!ar_is_rescale(shift) || ar_bare_shift(shift) > 30) return AR_UNSUPPORTED;
    if (ar_rounds_once(shift) != ar_rounds_once(finish->shift.data[0])) return AR_UNSUPPORTED;
  }
  return AR_OK;
}

void AR_NAME(load_bias)(const ar_finish *finish, const ar_tensor *bias, int64_t channels,
                        void *loaded) {
  if (bias->type == AR_ABSENT) {
    memset(loaded, 0, (size_t)(channels * ar_sum_bytes(finish)));
  } else if (ar_element_bytes(bias->type) == ar_sum_bytes(finish)) {
    memcpy(loaded, bias->data, (size_t)(channels * ar_sum_bytes(finish)));
  } else if (bias->type == AR_INT64) {
    for (int64_t i = 0; i < channels; ++i)
      ((int32_t *)loaded)[i] = (int32_t)((const int64_t *)bias->data)[i];
  } else if (bias->type == AR_INT32) {
    for (int64_t i = 0; i < channels; ++i)
      ((int64_t *)loaded)[i] = ((const int32_t *)bias->data)[i];
  } else {
    for (int64_t i = 0; i < channels; ++i)
      ((int64_t *)loaded)[i] = ((const int16_t *)bias->data)[i];
  }
}

#define AR_NARROW(name, SUM, OUT, SCALE)                                                  \
  static void name(const ar_finish f, const SUM *restrict sums, const SUM *restrict bias, \
                   int64_t first, int64_t channels, OUT *restrict y) {                    \
    const int32_t *restrict multiplier = f.multiplier.data + first;                       \
    const int32_t *restrict shift = f.shift.data + first;                                 \
    const int32_t low = (int32_t)f.activation_min, high = (int32_t)f.activation_max;      \
    for (int64_t i = 0; i < channels; ++i) {                                              \
      const int32_t scaled = SCALE(sums[i], bias[i], multiplier[i], shift[i]);            \
      const uint32_t moved = (uint32_t)scaled + (uint32_t)f.output_offset;                \
      y[i] = (OUT)ar_clamp((int32_t)moved, low, high);                                    \
    }                                                                                     \
  }

static inline int32_t scale_int32(int32_t sum, int32_t bias, int32_t multiplier, int32_t shift) {
  return ar_multiply_by_quantized_multiplier((int32_t)((uint32_t)sum + (uint32_t)bias), multiplier,
                                             shift);
}

static inline int32_t scale_once(int32_t sum, int32_t bias, int32_t multiplier, int32_t shift) {
  return ar_multiply_rounding_once((int32_t)((uint32_t)sum + (uint32_t)bias), multiplier,
                                   ar_bare_shift(shift));
}

static inline int32_t scale_int64(int64_t sum, int64_t bias, int32_t multiplier, int32_t shift) {
  return ar_multiply_by_quantized_multiplier_int64((int64_t)((uint64_t)sum + (uint64_t)bias),
                                                   multiplier, shift);
}

AR_NARROW(int32_to_int8, int32_t, int8_t, scale_int32)
AR_NARROW(int32_to_int16, int32_t, int16_t, scale_int32)
AR_NARROW(int32_to_int8_once, int32_t, int8_t, scale_once)
AR_NARROW(int32_to_int16_once, int32_t, int16_t, scale_once)
AR_NARROW(int64_to_int16, int64_t, int16_t, scale_int64)

static void finish_float(const ar_finish f, const float *restrict sums, const float *restrict bias,
                         int64_t channels, float *restrict y) {
  const float low = (float)f.activation_min, high = (float)f.activation_max;
  for (int64_t i = 0; i < channels; ++i) y[i] = ar_clamp_float(sums[i] + bias[i], low, high);
}

void AR_NAME(finish)(const ar_finish *f, const void *sums, const void *bias, int64_t first,
                     int64_t channels, void *y) {
  const uint8_t *from = (const uint8_t *)bias + first * ar_sum_bytes(f);
  const void *b = from;
  if (f->type == AR_FLOAT32) finish_float(*f, sums, b, channels, y);
  else if (f->wide) int64_to_int16(*f, sums, b, first, channels, y);
  else if (channels < 1) return;
  else if (ar_rounds_once(f->shift.data[first])) {
    if (f->type == AR_INT8) int32_to_int8_once(*f, sums, b, first, channels, y);
    else int32_to_int16_once(*f, sums, b, first, channels, y);
  } else if (f->type == AR_INT8) int32_to_int8(*f, sums, b, first, channels, y);
  else int32_to_int16(*f, sums, b, first, channels, y);
}
