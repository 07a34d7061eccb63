/* Maps of an NPU: elements copied between where commands have them, in bricks and tiles, and a row, and
 * functions of bytes as tables. */
#include <string.h>

#include "lookup.h"
#include "npu.h"

enum { BRICK = 16 };

/* Whether the elements by these steps lie among the bytes of a tensor. */
static int inside(const NpuMoveParams *p, int64_t start, const int64_t *steps, const ar_tensor *t) {
  int64_t low = start, high = start;
  for (int i = 0; i < 4; ++i)
    if (!ar_add_product(steps[i] < 0 ? &low : &high, p->size[i] - 1, steps[i])) return 0;
  return low >= 0 && high <= ar_tensor_bytes(t) - p->element_bytes;
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const NpuMoveParams *p = opaque;
  int64_t count = 1;
  for (int i = 0; i < 4; ++i) {
    if (p->size[i] < 1) return AR_UNSUPPORTED;
    count = ar_times(count, p->size[i]);
  }
  if (count < 0 || count > AR_MOST_ELEMENTS || p->element_bytes < 1) return AR_UNSUPPORTED;
  return inside(p, p->source, p->source_steps, &io[1]) &&
                 inside(p, p->target, p->target_steps, &io[0])
             ? AR_OK
             : AR_UNSUPPORTED;
}

/* The elements of the last axis. */
static inline void move_row(const NpuMoveParams *p, const uint8_t *x, uint8_t *y) {
  const int64_t bytes = p->element_bytes, from = p->source_steps[3], to = p->target_steps[3];
  if (from == bytes && to == bytes) {
    if (p->size[3] * bytes == BRICK) memmove(y, x, BRICK);
    else memmove(y, x, (size_t)(p->size[3] * bytes));
    return;
  }
  for (int64_t i = 0; i < p->size[3]; ++i) memmove(y + i * to, x + i * from, (size_t)bytes);
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const NpuMoveParams *p = opaque;
  const int64_t *n = p->size, *from = p->source_steps, *to = p->target_steps;
  const uint8_t *x = (const uint8_t *)io[1].data + p->source;
  uint8_t *y = (uint8_t *)io[0].data + p->target;
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j)
      for (int64_t k = 0; k < n[2]; ++k)
        move_row(p, x + i * from[0] + j * from[1] + k * from[2],
                 y + i * to[0] + j * to[1] + k * to[2]);
  return AR_OK;
}

static ar_status measure_table(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const NpuTableParams *p = opaque;
  if (p->table.count < AR_NPU_BYTES || ar_elements(&io[0]) != ar_elements(&io[1]))
    return AR_UNSUPPORTED;
  for (int i = 0; i < 2; ++i)
    if (io[i].type != AR_INT8 && io[i].type != AR_UINT8) return AR_UNSUPPORTED;
  return AR_OK;
}

static ar_status run_table(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const NpuTableParams *p = opaque;
  ar_lookup(p->table.data, io[1].data, io[0].data, ar_elements(&io[0]));
  return AR_OK;
}

AR_PORTABLE_KERNEL(NPU_MOVE, measure, ar_plan_nothing, run)
AR_FLAT_PORTABLE_KERNEL(NPU_TABLE, AR_LOOKUP_WORK, measure_table, ar_plan_nothing, run_table)
