/* BATCH_MATMUL of batches that broadcast: int8, int16, float32; either side transposed or not. */
#include <math.h>
#include <string.h>

#include "broadcast.h"
#include "product.h"
#include "records/batch_matmul.h"

enum { ROWS = 8 };

/* One product of the batch: out (rows, columns) = x (rows, depth) times y (depth, columns). */
typedef struct {
  int64_t rows, depth, columns;
  int64_t x_row, x_step, y_row, y_step; /* elements from row to row, and within a row */
  int64_t matrix, requantize, x, sums;  /* byte offsets in the workspace */
  ar_broadcast batches;                 /* in units of matrices */
} matmul_plan;

static ar_tensor batches_of(const ar_tensor *t) {
  ar_tensor batches = *t;
  batches.rank -= 2;
  return batches;
}

static ar_status describe(const BatchMatMulParams *p, const ar_tensor *io, matmul_plan *plan) {
  const ar_tensor *out = &io[0], *x = &io[1], *y = &io[2];
  if (x->type != out->type || y->type != out->type) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_INT16, AR_FLOAT32)) return AR_UNSUPPORTED;
  if (x->rank < 2 || y->rank < 2 || out->rank < 2) return AR_UNSUPPORTED;
  if (p->accumulates_64_bits != (x->type == AR_INT16)) return AR_UNSUPPORTED;
  if (x->type == AR_INT16 && (p->lhs_offset || p->rhs_offset)) return AR_UNSUPPORTED;
  if (!ar_is_small(p->lhs_offset) || !ar_is_small(p->rhs_offset)) return AR_UNSUPPORTED;
  const int32_t shift = p->output_shift;
  const int fits = p->accumulates_64_bits ? ar_is_wide_rescale(shift)
                                          : ar_is_rescale(shift) && ar_bare_shift(shift) <= 30;
  if (!fits) return AR_UNSUPPORTED;
  const int32_t *xd = x->dims + x->rank - 2, *yd = y->dims + y->rank - 2;
  *plan = (matmul_plan){
      .rows = xd[p->adj_x],
      .depth = xd[!p->adj_x],
      .columns = yd[!p->adj_y],
      .x_row = p->adj_x ? 1 : xd[1],
      .x_step = p->adj_x ? xd[1] : 1,
      .y_row = p->adj_y ? 1 : yd[1],
      .y_step = p->adj_y ? yd[1] : 1,
  };
  if (yd[p->adj_y] != plan->depth) return AR_UNSUPPORTED;
  if (out->dims[out->rank - 2] != plan->rows || out->dims[out->rank - 1] != plan->columns)
    return AR_UNSUPPORTED;
  const int64_t sum = x->type == AR_INT16 ? 8 : 4;
  plan->requantize = AR_NAME(packed_bytes)(x->type, plan->depth, plan->columns);
  plan->x = plan->requantize + ar_align64(plan->columns * 16); /* multiplier, shift, bias */
  plan->sums = plan->x + ar_align64(ROWS * plan->depth * 4);
  plan->matrix = plan->sums + ar_align64(ROWS * ar_padded_columns(plan->columns) * sum);
  const ar_tensor a = batches_of(x), b = batches_of(y), c = batches_of(out);
  return ar_broadcast_of(&c, &a, &b, &plan->batches);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  matmul_plan plan;
  const ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan = sizeof plan;
  sizes->workspace = plan.matrix;
  return AR_OK;
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  return describe(params, io, memory);
}

/* `count` rows of x, as int32 with the offset, or as floats. */
static void load_rows(const matmul_plan *plan, const void *x, int32_t type, int32_t offset,
                      int64_t count, void *rows) {
  for (int64_t r = 0; r < count; ++r)
    for (int64_t k = 0; k < plan->depth; ++k) {
      const int64_t i = r * plan->x_row + k * plan->x_step, to = r * plan->depth + k;
      if (type == AR_FLOAT32) ((float *)rows)[to] = ((const float *)x)[i];
      else if (type == AR_INT8) ((int32_t *)rows)[to] = ((const int8_t *)x)[i] + offset;
      else ((int32_t *)rows)[to] = ((const int16_t *)x)[i] + offset;
    }
}

/* Both sides have 16 bits: each product is an int32, their sum an int64. */
static void product_int16(const matmul_plan *plan, const int32_t *x, const int16_t *y,
                          int64_t count, int64_t *restrict sums) {
  const int64_t step = ar_padded_columns(plan->columns);
  memset(sums, 0, (size_t)(count * step * 8));
  for (int64_t r = 0; r < count; ++r)
    for (int64_t k = 0; k < plan->depth; ++k) {
      const int64_t one = x[r * plan->depth + k];
      const int16_t *row = y + k * plan->y_row;
      int64_t *restrict to = sums + r * step;
      for (int64_t c = 0; c < plan->columns; ++c) to[c] += one * row[c * plan->y_step];
    }
}

static ar_finish load_finish(const BatchMatMulParams *p, const matmul_plan *plan, int32_t type,
                             uint8_t *memory, const void **bias) {
  int32_t *multiplier = (int32_t *)memory, *shift = multiplier + plan->columns;
  for (int64_t c = 0; c < plan->columns; ++c) {
    multiplier[c] = p->output_multiplier;
    shift[c] = p->output_shift;
  }
  memset(shift + plan->columns, 0, (size_t)plan->columns * 8);
  *bias = shift + plan->columns;
  return (ar_finish){
      .multiplier = {multiplier, plan->columns},
      .shift = {shift, plan->columns},
      .output_offset = p->output_offset,
      .activation_min = type == AR_FLOAT32 ? -INFINITY : p->activation_min,
      .activation_max = type == AR_FLOAT32 ? INFINITY : p->activation_max,
      .wide = p->accumulates_64_bits,
      .type = type,
  };
}

static void multiply(const BatchMatMulParams *p, const matmul_plan *plan, const ar_finish *finish,
                     const void *bias, const uint8_t *x, const uint8_t *y, uint8_t *out,
                     uint8_t *workspace) {
  const int32_t type = finish->type;
  const int64_t bytes = ar_element_bytes(type);
  const int64_t sum_row = ar_padded_columns(plan->columns) * ar_sum_bytes(finish);
  void *rows = workspace + plan->x;
  uint8_t *sums = workspace + plan->sums;
  if (type != AR_INT16) {
    const ar_matrix_source source = {
        .data = y, .type = type, .column_step = plan->y_step, .depth_step = plan->y_row};
    AR_NAME(pack_matrix)(&source, plan->depth, plan->columns, workspace);
  }
  for (int64_t r = 0; r < plan->rows; r += ROWS) {
    const int64_t count = plan->rows - r < ROWS ? plan->rows - r : ROWS;
    load_rows(plan, x + r * plan->x_row * bytes, type, p->lhs_offset, count, rows);
    if (type == AR_INT16) product_int16(plan, rows, (const int16_t *)y, count, (int64_t *)sums);
    else AR_NAME(product)(finish, rows, count, plan->depth, workspace, plan->columns, sums);
    if (p->rhs_offset && type == AR_INT8)
      AR_NAME(add_offset)(finish, p->rhs_offset, rows, count, plan->depth, plan->columns, sums);
    for (int64_t i = 0; i < count; ++i, out += plan->columns * bytes)
      AR_NAME(finish)(finish, sums + i * sum_row, bias, 0, plan->columns, out);
  }
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const BatchMatMulParams *p = opaque;
  const matmul_plan *plan = memory;
  const ar_broadcast *g = &plan->batches;
  const int32_t last = g->rank - 1;
  const int64_t bytes = ar_element_bytes(io[0].type);
  const int64_t x_bytes = plan->rows * plan->depth * bytes;
  const int64_t y_bytes = plan->depth * plan->columns * bytes;
  const void *bias;
  const ar_finish finish = load_finish(p, plan, io[0].type, workspace + plan->requantize, &bias);
  uint8_t *out = io[0].data;
  ar_row row = {0};
  if (ar_elements(&io[0]) == 0) return AR_OK;
  do {
    for (int64_t i = 0; i < g->size[last]; ++i, out += plan->rows * plan->columns * bytes)
      multiply(p, plan, &finish, bias,
               (const uint8_t *)io[1].data + (row.start[0] + i * g->step[0][last]) * x_bytes,
               (const uint8_t *)io[2].data + (row.start[1] + i * g->step[1][last]) * y_bytes, out,
               workspace);
  } while (ar_next_row(g, &row));
  return AR_OK;
}

AR_PORTABLE_KERNEL(BATCH_MATMUL, measure, make_plan, run)
