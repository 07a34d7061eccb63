/* TRANSPOSE_CONV: int8, int16 with int8 weights, float32.
 *
 * Some pixels' products with all taps of all filters, in the order of the weights (filter, row,
 * column), are added to the sums of the outputs that they meet.
 */
#include <string.h>

#include "product.h"
#include "records/transpose_conv.h"

enum { PIXELS = 8 };

typedef struct {
  int64_t depth, filters, taps;
  int64_t matrix_bytes;
  int64_t bias, rows, terms, sums; /* byte offsets in the workspace, which begins with the
                                      matrix unless it is part of the plan */
  int32_t in_plan;
} transpose_plan;

/* Inputs: 0 a shape that is not needed, 1 the weights, 2 the images, 3 the bias. */
static int types_fit(const ar_tensor *io) {
  const int32_t weights = io[2].type, x = io[3].type, bias = io[4].type;
  if (io[0].type != x) return 0;
  if (x == AR_FLOAT32) return weights == x && AR_IS_ONE_OF(bias, AR_FLOAT32, AR_ABSENT);
  if (weights != AR_INT8) return 0;
  if (x == AR_INT8) return AR_IS_ONE_OF(bias, AR_INT32, AR_ABSENT);
  return x == AR_INT16 && AR_IS_ONE_OF(bias, AR_INT16, AR_INT64, AR_ABSENT);
}

static ar_status describe(const TransposeConvParams *p, const ar_tensor *io, transpose_plan *plan) {
  const ar_tensor *y = &io[0], *weights = &io[2], *x = &io[3];
  if (!types_fit(io) || x->rank != 4 || weights->rank != 4 || y->rank != 4) return AR_UNSUPPORTED;
  if (weights->dims[3] != x->dims[3] || weights->dims[0] != y->dims[3] ||
      x->dims[0] != y->dims[0] || !ar_is_small(p->input_offset))
    return AR_UNSUPPORTED;
  if (p->stride[0] < 1 || p->stride[1] < 1 || !ar_has_or_lacks(&io[4], weights->dims[0]))
    return AR_UNSUPPORTED;
  if (p->summed_rows < 0 || p->summed_rows > p->image_rows || p->image_rows > y->dims[1])
    return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const int64_t sum = ar_sum_bytes(&finish);
  *plan = (transpose_plan){
      .depth = x->dims[3],
      .filters = weights->dims[0],
      .taps = (int64_t)weights->dims[1] * weights->dims[2],
      .in_plan = weights->data != 0,
  };
  const int64_t columns = plan->filters * plan->taps;
  plan->matrix_bytes = AR_NAME(packed_bytes)(x->type, plan->depth, columns);
  plan->bias = plan->in_plan ? 0 : plan->matrix_bytes;
  plan->rows = plan->bias + ar_align64(plan->filters * sum);
  plan->terms = plan->rows + ar_align64(PIXELS * plan->depth * 4);
  plan->sums = plan->terms + ar_align64(PIXELS * ar_padded_columns(columns) * sum);
  return AR_NAME(check_finish)(&finish, plan->filters);
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const TransposeConvParams *p = opaque;
  transpose_plan plan;
  const ar_status status = describe(p, io, &plan);
  if (status != AR_OK) return status;
  const ar_finish finish = AR_FINISH_OF(p, io);
  sizes->plan = ar_align64(sizeof plan) + (plan.in_plan ? plan.matrix_bytes : 0);
  sizes->workspace =
      plan.sums + (int64_t)io[0].dims[1] * io[0].dims[2] * io[0].dims[3] * ar_sum_bytes(&finish);
  return AR_OK;
}

static void pack_weights(const transpose_plan *plan, const ar_tensor *weights, void *packed) {
  const ar_matrix_source source = {
      .data = weights->data, .type = weights->type, .column_step = plan->depth, .depth_step = 1};
  AR_NAME(pack_matrix)(&source, plan->depth, plan->filters * plan->taps, packed);
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  transpose_plan *plan = memory;
  const ar_status status = describe(params, io, plan);
  if (status == AR_OK && plan->in_plan)
    pack_weights(plan, &io[2], (uint8_t *)memory + ar_align64(sizeof *plan));
  return status;
}

/* Adds one pixel's terms to the sums (rows, columns, filters) of its image. */
#define AR_SCATTER(name, SUM)                                                              \
  static void scatter_##name(const TransposeConvParams *p, const ar_tensor *io,            \
                             const SUM *restrict terms, int32_t i, int32_t j,              \
                             SUM *restrict sums) {                                         \
    const int64_t height = p->summed_rows, width = io[0].dims[2], filters = io[0].dims[3]; \
    const int32_t rows = io[2].dims[1], columns = io[2].dims[2];                           \
    const int64_t top = (int64_t)i * p->stride[0] - p->padding[0];                         \
    const int64_t left = (int64_t)j * p->stride[1] - p->padding[1];                        \
    for (int32_t row = 0; row < rows; ++row) {                                             \
      const int64_t y = top + row;                                                         \
      if (y < 0 || y >= height) continue;                                                  \
      for (int32_t column = 0; column < columns; ++column) {                               \
        const int64_t x = left + column;                                                   \
        if (x < 0 || x >= width) continue;                                                 \
        const SUM *term = terms + row * columns + column;                                  \
        SUM *to = sums + (y * width + x) * filters;                                        \
        for (int64_t f = 0; f < filters; ++f) to[f] += term[f * rows * columns];           \
      }                                                                                    \
    }                                                                                      \
  }

AR_SCATTER(int32, uint32_t)
AR_SCATTER(int64, int64_t)
AR_SCATTER(float, float)

static void scatter(const TransposeConvParams *p, const ar_tensor *io, const ar_finish *finish,
                    const void *terms, int32_t i, int32_t j, void *sums) {
  if (finish->type == AR_FLOAT32) scatter_float(p, io, terms, i, j, sums);
  else if (finish->wide) scatter_int64(p, io, terms, i, j, sums);
  else scatter_int32(p, io, terms, i, j, sums);
}

/* The sums of one image. */
static void add_image(const TransposeConvParams *p, const transpose_plan *plan, const ar_tensor *io,
                      const void *packed, const uint8_t *image, uint8_t *workspace) {
  const ar_finish finish = AR_FINISH_OF(p, io);
  const ar_tensor *x = &io[3];
  const int64_t pixels = (int64_t)x->dims[1] * x->dims[2], columns = plan->filters * plan->taps;
  const int64_t term_row = ar_padded_columns(columns) * ar_sum_bytes(&finish);
  const int64_t pixel_bytes = plan->depth * ar_element_bytes(x->type);
  uint8_t *terms = workspace + plan->terms;
  for (int64_t first = 0; first < pixels; first += PIXELS) {
    const int64_t count = pixels - first < PIXELS ? pixels - first : PIXELS;
    const void *rows = image + first * pixel_bytes;
    if (x->type != AR_FLOAT32) {
      int32_t *wide = (int32_t *)(workspace + plan->rows);
      AR_NAME(widen)(rows, x->type, p->input_offset, count * plan->depth, wide);
      rows = wide;
    }
    AR_NAME(product)(&finish, rows, count, plan->depth, packed, columns, terms);
    for (int64_t i = 0; i < count; ++i)
      scatter(p, io, &finish, terms + i * term_row, (int32_t)((first + i) / x->dims[2]),
              (int32_t)((first + i) % x->dims[2]), workspace + plan->sums);
  }
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const TransposeConvParams *p = opaque;
  const transpose_plan *plan = memory;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const ar_tensor *y = &io[0], *x = &io[3];
  const void *packed = (const uint8_t *)memory + ar_align64(sizeof *plan);
  if (!plan->in_plan) {
    pack_weights(plan, &io[2], workspace);
    packed = workspace;
  }
  const int64_t bytes = ar_element_bytes(x->type), sum = ar_sum_bytes(&finish);
  const int64_t positions = (int64_t)p->image_rows * y->dims[2];
  const int64_t image = (int64_t)x->dims[1] * x->dims[2] * plan->depth * bytes;
  uint8_t *bias = workspace + plan->bias, *sums = workspace + plan->sums, *out = y->data;
  AR_NAME(load_bias)(&finish, &io[4], plan->filters, bias);
  for (int32_t n = 0; n < x->dims[0]; ++n) {
    memset(sums, 0, (size_t)(positions * plan->filters * sum));
    add_image(p, plan, io, packed, (const uint8_t *)x->data + n * image, workspace);
    for (int64_t i = 0; i < positions; ++i, out += plan->filters * bytes)
      AR_NAME(finish)(&finish, sums + i * plan->filters * sum, bias, 0, plan->filters, out);
  }
  /* Rows of no image. */
  const int64_t left = (int64_t)x->dims[0] * (y->dims[1] - p->image_rows) * y->dims[2];
  if (left > 0) memset(sums, 0, (size_t)(plan->filters * sum));
  for (int64_t i = 0; i < left; ++i, out += plan->filters * bytes)
    AR_NAME(finish)(&finish, sums, bias, 0, plan->filters, out);
  return AR_OK;
}

AR_PORTABLE_KERNEL(TRANSPOSE_CONV, measure, make_plan, run)
