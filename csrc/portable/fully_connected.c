/* FULLY_CONNECTED: int8, int16 with int8 weights, float32; int4 weights; weights with a zero
 * point. */
#include "product.h"
#include "records/fully_connected.h"

enum { ROWS = 8 };

typedef struct {
  int64_t depth, units, batches;
  int64_t matrix_bytes;
  int64_t bias, rows, sums; /* byte offsets in the workspace, which may begin with the matrix */
  int32_t in_plan;          /* the packed matrix is part of the plan */
} fc_plan;

static ar_status describe(const FullyConnectedParams *p, const ar_tensor *io, fc_plan *plan) {
  const ar_tensor *x = &io[1], *weights = &io[2];
  if (!ar_types_fit(io) || weights->rank < 2) return AR_UNSUPPORTED;
  /* With 16 bits and an offset of as many, sums of products are still exact. */
  if (p->input_offset < -32768 || p->input_offset > 32768 || !ar_is_small(p->filter_offset))
    return AR_UNSUPPORTED;
  const int64_t depth = weights->dims[weights->rank - 1];
  if (depth < 1) return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(p, io);
  *plan = (fc_plan){
      .depth = depth,
      .units = weights->dims[weights->rank - 2],
      .batches = ar_elements(x) / depth,
      .in_plan = weights->data != 0,
  };
  if (plan->batches * plan->units != ar_elements(&io[0])) return AR_UNSUPPORTED;
  if (depth * plan->units != ar_elements(weights) || !ar_has_or_lacks(&io[3], plan->units))
    return AR_UNSUPPORTED;
  plan->matrix_bytes = AR_NAME(packed_bytes)(x->type, depth, plan->units);
  plan->bias = plan->in_plan ? 0 : plan->matrix_bytes;
  plan->rows = plan->bias + ar_align64(plan->units * ar_sum_bytes(&finish));
  plan->sums = plan->rows + ar_align64(ROWS * depth * 4);
  return AR_NAME(check_finish)(&finish, plan->units);
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const FullyConnectedParams *p = opaque;
  fc_plan plan;
  const ar_status status = describe(p, io, &plan);
  if (status != AR_OK) return status;
  const ar_finish finish = AR_FINISH_OF(p, io);
  sizes->plan = ar_align64(sizeof plan) + (plan.in_plan ? plan.matrix_bytes : 0);
  sizes->workspace = plan.sums + ROWS * ar_padded_columns(plan.units) * ar_sum_bytes(&finish);
  return AR_OK;
}

static void pack_weights(const fc_plan *plan, const ar_tensor *weights, void *packed) {
  const ar_matrix_source source = {
      .data = weights->data, .type = weights->type, .column_step = plan->depth, .depth_step = 1};
  AR_NAME(pack_matrix)(&source, plan->depth, plan->units, packed);
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  fc_plan *plan = memory;
  const ar_status status = describe(params, io, plan);
  if (status == AR_OK && plan->in_plan)
    pack_weights(plan, &io[2], (uint8_t *)memory + ar_align64(sizeof *plan));
  return status;
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const FullyConnectedParams *p = opaque;
  const fc_plan *plan = memory;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const void *packed = (const uint8_t *)memory + ar_align64(sizeof *plan);
  if (!plan->in_plan) {
    pack_weights(plan, &io[2], workspace);
    packed = workspace;
  }
  const int64_t sum_row = ar_padded_columns(plan->units) * ar_sum_bytes(&finish);
  const int64_t bytes = ar_element_bytes(io[0].type);
  uint8_t *bias = workspace + plan->bias, *sums = workspace + plan->sums;
  AR_NAME(load_bias)(&finish, &io[3], plan->units, bias);
  for (int64_t first = 0; first < plan->batches; first += ROWS) {
    const int64_t count = plan->batches - first < ROWS ? plan->batches - first : ROWS;
    const uint8_t *x = (const uint8_t *)io[1].data + first * plan->depth * bytes;
    const void *rows = x;
    if (io[1].type != AR_FLOAT32) {
      int32_t *wide = (int32_t *)(workspace + plan->rows);
      AR_NAME(widen)(x, io[1].type, p->input_offset, count * plan->depth, wide);
      rows = wide;
    }
    AR_NAME(product)(&finish, rows, count, plan->depth, packed, plan->units, sums);
    if (p->filter_offset && io[1].type != AR_FLOAT32)
      AR_NAME(add_offset)(&finish, p->filter_offset, rows, count, plan->depth, plan->units, sums);
    for (int64_t i = 0; i < count; ++i)
      AR_NAME(finish)(&finish, sums + i * sum_row, bias, 0, plan->units,
                      (uint8_t *)io[0].data + (first + i) * plan->units * bytes);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(FULLY_CONNECTED, measure, make_plan, run)
