/* Pools of an NPU: the greatest, least or mean element of a window, or where the greatest is, or the
 * sum over the depth. */
#include "npu.h"

/* As in src/arenite/npu/operations.py. */
enum { MAX, AVERAGE, SUM, TOTAL, NONE, MIN, ARGMAX_X, ARGMAX_Y };
enum { INDEX = 16 }; /* bits below an index */

/* More than any value of a window. */
static const int64_t MOST = INT64_C(1) << 40;

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const NpuPoolParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!ar_npu_is_type(x->type) || !AR_NAME(npu_check)(&p->result, y)) return AR_UNSUPPORTED;
  if (y->rank != 4 || x->rank != 4 || p->kind < MAX || p->kind > ARGMAX_Y) return AR_UNSUPPORTED;
  if (p->kind == SUM)
    return AR_HAS_SHAPE(y, x->dims[0], x->dims[1], x->dims[2], 1) ? AR_OK : AR_UNSUPPORTED;
  return x->dims[3] == y->dims[3] && ar_npu_slides(&p->window, p->input_size, p->upscale, y, x)
             ? AR_OK
             : AR_UNSUPPORTED;
}

/* total / count with halves away from zero, by a reciprocal of 32 bits. */
static void divide(int64_t *line, int64_t n, int64_t count) {
  int32_t bits = 0;
  while (INT64_C(1) << bits < count) ++bits;
  const int32_t shift = 31 + bits;
  const int64_t reciprocal = ((INT64_C(1) << shift) + (INT64_C(1) << bits)) / count;
  for (int64_t i = 0; i < n; ++i)
    line[i] = ar_npu_add(ar_npu_times(line[i], reciprocal), INT64_C(1) << (shift - 1)) >> shift;
}

static int is_argmax(int32_t kind) { return kind == ARGMAX_X || kind == ARGMAX_Y; }

/* What channels have found: totals, and where the greatest element was. */
typedef struct {
  int64_t total[AR_NPU_LINE], place[AR_NPU_LINE];
} Found;

static void begin(int32_t kind, Found *f, int64_t n) {
  const int64_t first = kind == MAX || is_argmax(kind) ? -MOST : kind == MIN ? MOST : 0;
  for (int64_t i = 0; i < n; ++i) f->total[i] = first, f->place[i] = 0;
}

/* One more element of every channel's window. */
static void take(int32_t kind, int64_t place, Found *restrict f, const int64_t *restrict line,
                 int64_t n) {
  int64_t *total = f->total;
  if (is_argmax(kind))
    for (int64_t i = 0; i < n; ++i) f->place[i] = line[i] > total[i] ? place : f->place[i];
  if (kind == MAX || is_argmax(kind))
    for (int64_t i = 0; i < n; ++i) total[i] = line[i] > total[i] ? line[i] : total[i];
  else if (kind == MIN)
    for (int64_t i = 0; i < n; ++i) total[i] = line[i] < total[i] ? line[i] : total[i];
  else
    for (int64_t i = 0; i < n; ++i) total[i] += line[i];
}

/* `n` channels from `channel` on at one position; returns how many elements of the window are no
 * padding. */
static int64_t pool(const NpuPoolParams *p, const ar_tensor *x, const int32_t *position,
                    int64_t channel, int64_t n, Found *f) {
  const Window *w = &p->window;
  int64_t line[AR_NPU_LINE], zeros[AR_NPU_LINE] = {0}, count = 0;
  begin(p->kind, f, n);
  for (int32_t i = 0; i < w->filter_size[0]; ++i) {
    const int32_t row =
        ar_npu_place(position[0] * w->stride[0] - w->padding[0] + i * w->dilation[0],
                     p->input_size[0], p->upscale);
    if (row < -1) continue;
    for (int32_t j = 0; j < w->filter_size[1]; ++j) {
      const int32_t column =
          ar_npu_place(position[1] * w->stride[1] - w->padding[1] + j * w->dilation[1],
                       p->input_size[1], p->upscale);
      if (column < -1) continue;
      const int64_t tap = (int64_t)i * w->filter_size[1] + j;
      ++count;
      if (row < 0 || column < 0) {
        take(p->kind, tap, f, zeros, n);
        continue;
      }
      const int64_t place = ((int64_t)row * x->dims[2] + column) * x->dims[3] + channel;
      AR_NAME(npu_load)(x, place, 1, n, p->zero_point, line);
      take(p->kind, tap, f, line, n);
    }
  }
  return count;
}

static void pool_position(const NpuPoolParams *p, const ar_tensor *io, const int32_t *position) {
  const int64_t depth = io[0].dims[3];
  const int64_t first = ((int64_t)position[0] * io[0].dims[2] + position[1]) * depth;
  Found found;
  int64_t *total = found.total;
  for (int64_t channel = 0; channel < depth; channel += AR_NPU_LINE) {
    const int64_t n = depth - channel < AR_NPU_LINE ? depth - channel : AR_NPU_LINE;
    const int64_t count = pool(p, &io[1], position, channel, n, &found);
    if (is_argmax(p->kind))
      for (int64_t i = 0; i < n; ++i) total[i] = found.place[i] << INDEX;
    if (p->divides) divide(total, n, count < 1 ? 1 : count);
    ar_npu_scale(&p->result, total, n);
    AR_NAME(npu_finish)(&p->result, total, n, io[0], first + channel);
  }
}

/* The sum over the depth at `n` positions from `first` on. */
static void sum_positions(const NpuPoolParams *p, const ar_tensor *io, int64_t first, int64_t n) {
  const int64_t depth = io[1].dims[3];
  int64_t total[AR_NPU_LINE], line[AR_NPU_LINE];
  for (int64_t i = 0; i < n; ++i) {
    total[i] = 0;
    for (int64_t channel = 0; channel < depth; channel += AR_NPU_LINE) {
      const int64_t some = depth - channel < AR_NPU_LINE ? depth - channel : AR_NPU_LINE;
      AR_NAME(npu_load)(&io[1], (first + i) * depth + channel, 1, some, p->zero_point, line);
      for (int64_t c = 0; c < some; ++c) total[i] += line[c];
    }
  }
  ar_npu_scale(&p->result, total, n);
  AR_NAME(npu_finish)(&p->result, total, n, io[0], first);
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const NpuPoolParams *p = opaque;
  const int32_t height = io[0].dims[1], width = io[0].dims[2];
  if (p->kind == SUM) {
    const int64_t positions = ar_elements(&io[0]);
    for (int64_t i = 0; i < positions; i += AR_NPU_LINE)
      sum_positions(p, io, i, positions - i < AR_NPU_LINE ? positions - i : AR_NPU_LINE);
    return AR_OK;
  }
  for (int32_t row = 0; row < height; ++row)
    for (int32_t column = 0; column < width; ++column)
      pool_position(p, io, (const int32_t[]){row, column});
  return AR_OK;
}

AR_PORTABLE_KERNEL(NPU_POOL, measure, ar_plan_nothing, run)
