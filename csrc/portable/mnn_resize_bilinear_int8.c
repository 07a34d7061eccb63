/* MNN_RESIZE_BILINEAR_INT8: two columns, then two rows, weighted in 128ths. */
#include "name.h"
#include "records/mnn_resize_bilinear_int8.h"

enum { LARGEST = 1 << 8 }; /* weights are less */

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const MnnResizeBilinearInt8Params *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (x->type != AR_INT8 || y->type != AR_INT8 || x->rank != 4 || y->rank != 4)
    return AR_UNSUPPORTED;
  if (x->dims[0] != y->dims[0] || x->dims[3] != y->dims[3]) return AR_UNSUPPORTED;
  const int64_t rows = 2 * (int64_t)y->dims[1], columns = 2 * (int64_t)y->dims[2];
  if (!ar_are_places(p->rows, rows, x->dims[1]) || !ar_are_places(p->columns, columns, x->dims[2]))
    return AR_UNSUPPORTED;
  if (!ar_are_places(p->row_weights, rows, LARGEST) ||
      !ar_are_places(p->column_weights, columns, LARGEST))
    return AR_UNSUPPORTED;
  if (!ar_is_small(p->input_zero_point) || !ar_is_small(p->output_zero_point))
    return AR_UNSUPPORTED;
  sizes->workspace = (int64_t)2 * y->dims[2] * y->dims[3] * (int64_t)sizeof(int32_t);
  return AR_OK;
}

/* A row of the input, as wide as the output. */
static void widen(const MnnResizeBilinearInt8Params *p, const int8_t *x, int64_t columns,
                  int64_t channels, int32_t *restrict line) {
  const int32_t zero_point = p->input_zero_point;
  for (int64_t j = 0; j < columns; ++j, line += channels) {
    const int32_t *columns_at = p->columns.data + 2 * j, *weights = p->column_weights.data + 2 * j;
    const int8_t *a = x + columns_at[0] * channels, *b = x + columns_at[1] * channels;
    const int32_t w = weights[0], v = weights[1];
    for (int64_t c = 0; c < channels; ++c)
      line[c] = (a[c] - zero_point) * w + (b[c] - zero_point) * v;
  }
}

/* 2^14 is one; halves away from zero. */
static void blend(const int32_t *restrict a, const int32_t *restrict b, const int32_t *weights,
                  int32_t zero_point, int64_t count, int8_t *restrict y) {
  const int32_t w = weights[0], v = weights[1], half = 1 << 13;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t total = a[i] * w + b[i] * v;
    const int32_t magnitude = ((total < 0 ? -total : total) + half) >> 14;
    y[i] = (int8_t)((total < 0 ? -magnitude : magnitude) + zero_point);
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *workspace) {
  const MnnResizeBilinearInt8Params *p = opaque;
  const int64_t height = io[1].dims[1], channels = io[1].dims[3], columns = io[0].dims[2];
  const int64_t input_row = io[1].dims[2] * channels, row = columns * channels;
  const int8_t *x = io[1].data;
  int8_t *y = io[0].data;
  int32_t *lines[2] = {(int32_t *)workspace, (int32_t *)workspace + row};
  for (int32_t n = 0; n < io[0].dims[0]; ++n, x += height * input_row) {
    int32_t held[2] = {-1, -1}; /* which rows of the image the lines are */
    for (int64_t i = 0; i < io[0].dims[1]; ++i, y += row) {
      const int32_t *wanted = p->rows.data + 2 * i;
      if (held[1] == wanted[0]) { /* going down, the lower row is the next upper one */
        int32_t *line = lines[0];
        lines[0] = lines[1], lines[1] = line;
        held[1] = held[0], held[0] = wanted[0];
      }
      for (int k = 0; k < 2; ++k) {
        if (held[k] == wanted[k]) continue;
        widen(p, x + wanted[k] * input_row, columns, channels, lines[k]);
        held[k] = wanted[k];
      }
      blend(lines[0], lines[1], p->row_weights.data + 2 * i, p->output_zero_point, row, y);
    }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MNN_RESIZE_BILINEAR_INT8, measure, ar_plan_nothing, run)
