/* An NPU's elements out of the two by two around their places, or the nearest; the same sums as
 * src/arenite/npu/resize.py. */
#include "npu.h"

enum { BELOW = 16 }; /* bits below sums */

/* An axis: the elements before and behind a place, and how much of the one behind. */
typedef struct {
  int64_t first, second, rest;
} Sides;

static int64_t floor_divided(int64_t x, int64_t y) { return x / y - (x % y < 0); }

static int64_t limited(int64_t place, int32_t size) {
  return place < 0 ? 0 : place >= size ? size - 1 : place;
}

static Sides sides(const NpuResizeParams *p, int axis, int64_t output, int32_t size) {
  const int64_t parts = p->parts[axis], place = output * p->step[axis] + p->offset[axis];
  if (p->is_nearest) {
    const int64_t nearest = limited(floor_divided(2 * place + parts, 2 * parts), size);
    return (Sides){nearest, nearest, 0};
  }
  const int64_t first = floor_divided(place, parts);
  return (Sides){limited(first, size), limited(first + 1, size), place - first * parts};
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  enum { MOST = 1 << 16 };
  const NpuResizeParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!ar_npu_is_type(x->type) || !AR_NAME(npu_check)(&p->result, y)) return AR_UNSUPPORTED;
  if (y->rank != 4 || x->rank != 4 || x->dims[0] != 1 || y->dims[0] != 1) return AR_UNSUPPORTED;
  for (int i = 0; i < 2; ++i) {
    if (x->dims[1 + i] < 1 || y->dims[1 + i] > MOST) return AR_UNSUPPORTED;
    if (p->parts[i] < 1 || p->parts[i] > MOST || p->step[i] < 0 || p->step[i] > MOST)
      return AR_UNSUPPORTED;
    if (p->offset[i] < -MOST || p->offset[i] > MOST) return AR_UNSUPPORTED;
  }
  return x->dims[3] == y->dims[3] ? AR_OK : AR_UNSUPPORTED;
}

/* total += weight * elements at a place. */
static void add(const NpuResizeParams *p, const ar_tensor *x, int64_t row, int64_t column,
                int64_t channel, int64_t weight, int64_t n, int64_t *restrict total) {
  int64_t line[AR_NPU_LINE];
  if (!weight) return;
  const int64_t first = (row * x->dims[2] + column) * x->dims[3] + channel;
  AR_NAME(npu_load)(x, first, 1, n, p->zero_point, line);
  for (int64_t i = 0; i < n; ++i) total[i] += weight * line[i];
}

static void resize(const NpuResizeParams *p, const ar_tensor *io, Sides row, Sides column,
                   int64_t place) {
  const int64_t depth = io[0].dims[3];
  const int64_t above = p->is_nearest ? 1 : p->parts[0] - row.rest;
  const int64_t before = p->is_nearest ? 1 : p->parts[1] - column.rest;
  for (int64_t channel = 0; channel < depth; channel += AR_NPU_LINE) {
    const int64_t n = depth - channel < AR_NPU_LINE ? depth - channel : AR_NPU_LINE;
    int64_t total[AR_NPU_LINE] = {0};
    add(p, &io[1], row.first, column.first, channel, above * before, n, total);
    add(p, &io[1], row.first, column.second, channel, above * column.rest, n, total);
    add(p, &io[1], row.second, column.first, channel, row.rest * before, n, total);
    add(p, &io[1], row.second, column.second, channel, row.rest * column.rest, n, total);
    for (int64_t i = 0; i < n; ++i) total[i] = ar_npu_left(total[i], BELOW);
    ar_npu_scale(&p->result, total, n);
    AR_NAME(npu_finish)(&p->result, total, n, io[0], place * depth + channel);
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const NpuResizeParams *p = opaque;
  const int32_t height = io[0].dims[1], width = io[0].dims[2];
  for (int32_t row = 0; row < height; ++row)
    for (int32_t column = 0; column < width; ++column)
      resize(p, io, sides(p, 0, row, io[1].dims[1]), sides(p, 1, column, io[1].dims[2]),
             (int64_t)row * width + column);
  return AR_OK;
}

AR_PORTABLE_KERNEL(NPU_RESIZE, measure, ar_plan_nothing, run)
