/* Products of rows with a matrix, and the way from sums to outputs.
 *
 * A matrix of `depth` by `columns` is packed in blocks of 16 columns: for each block, for each
 * k, the 16 elements of row k. Columns are filled up with zeros to a multiple of 16; rows of
 * sums are as long.
 */
#pragma once

#include "name.h"

enum { AR_COLUMNS = 16 };

static inline int64_t ar_padded_columns(int64_t columns) {
  return (columns + AR_COLUMNS - 1) / AR_COLUMNS * AR_COLUMNS;
}

static inline int64_t ar_align64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Where a matrix's elements lie in a tensor, in elements: int8, float32, or int4, two to a byte
 * with the low half first. */
typedef struct {
  const void *data;
  int32_t type;
  int64_t first, column_step, depth_step;
} ar_matrix_source;

/* An element of int4. */
static inline int8_t ar_int4_at(const uint8_t *data, int64_t i) {
  const uint8_t both = data[i / 2];
  return (int8_t)((int8_t)(i % 2 ? both & 0xF0 : (uint8_t)(both << 4)) / 16);
}

/* Bytes of a packed matrix: int8 for integers. */
int64_t AR_NAME(packed_bytes)(int32_t type, int64_t depth, int64_t columns);

/* Packs a matrix. */
void AR_NAME(pack_matrix)(const ar_matrix_source *source, int64_t depth, int64_t columns,
                          void *packed);

/* Packs a source to the columns from `first` on, of a matrix that was zero before. */
void AR_NAME(pack_columns)(const ar_matrix_source *source, int64_t depth, int64_t first,
                           int64_t columns, void *packed);

/* sums = x times packed, for `rows` rows of x, one behind the other. */
void AR_NAME(product_int32)(const int32_t *x, int64_t rows, int64_t depth, const int8_t *packed,
                            int64_t columns, int32_t *sums); /* wraps */
void AR_NAME(product_int64)(const int32_t *x, int64_t rows, int64_t depth, const int8_t *packed,
                            int64_t columns, int64_t *sums); /* |x| < 2^16 */
void AR_NAME(product_float)(const float *x, int64_t rows, int64_t depth, const float *packed,
                            int64_t columns, float *sums); /* in the order of k */

/* int32 values with an offset added. */
void AR_NAME(widen)(const void *x, int32_t type, int32_t offset, int64_t count, int32_t *wide);

/* From sums to outputs, by channel: int32 to int8 or int16, int64 to int16, or float32. */
typedef struct {
  ar_int32s multiplier;
  ar_int32s shift;
  int32_t output_offset;
  double activation_min;
  double activation_max;
  bool wide;    /* sums are int64 */
  int32_t type; /* of the output */
} ar_finish;

/* Bytes of a sum. */
static inline int64_t ar_sum_bytes(const ar_finish *finish) { return finish->wide ? 8 : 4; }

/* Whether there is a multiplier and a shift for each channel, and C defines the arithmetic. */
ar_status AR_NAME(check_finish)(const ar_finish *finish, int64_t channels);

/* A bias as the kernels add it: int32, int64 or float like the sums; zeros if it is absent. */
void AR_NAME(load_bias)(const ar_finish *finish, const ar_tensor *bias, int64_t channels,
                        void *loaded);

/* Outputs of `channels` sums, for channels from `first` on; `bias` is a whole loaded one. */
void AR_NAME(finish)(const ar_finish *finish, const void *sums, const void *bias, int64_t first,
                     int64_t channels, void *y);

/* One of the products, by the sums' type. */
void AR_NAME(product)(const ar_finish *finish, const void *x, int64_t rows, int64_t depth,
                      const void *packed, int64_t columns, void *sums);

/* Makes good for an offset that all elements of the matrix lack: integers only. */
void AR_NAME(add_offset)(const ar_finish *finish, int32_t offset, const int32_t *x, int64_t rows,
                         int64_t depth, int64_t columns, void *sums);

#define AR_FINISH_OF(params, io)                                                                  \
  ((ar_finish){(params)->multiplier, (params)->shift, (params)->output_offset,                    \
               (params)->activation_min, (params)->activation_max, (params)->accumulates_64_bits, \
               (io)[0].type})

/* Whether the types of a convolution's output, input, weights and bias go together. */
static inline int ar_types_fit(const ar_tensor *io) {
  const int32_t x = io[1].type, weights = io[2].type, bias = io[3].type;
  if (io[0].type != x) return 0;
  if (x == AR_FLOAT32) return weights == x && AR_IS_ONE_OF(bias, AR_FLOAT32, AR_ABSENT);
  if (x == AR_INT8)
    return AR_IS_ONE_OF(weights, AR_INT8, AR_INT4) && AR_IS_ONE_OF(bias, AR_INT32, AR_ABSENT);
  return x == AR_INT16 && weights == AR_INT8 && AR_IS_ONE_OF(bias, AR_INT32, AR_INT64, AR_ABSENT);
}
