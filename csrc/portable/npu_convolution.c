/* Convolutions of an NPU with numbers that the engine's own kernels do not take: int16 and uint8, weights
 * of 9 bits, other roundings, scales and tables, upscaled inputs.
 *
 * Weights: filters, height, width, depth; of depthwise ones height, width, channels. */
#include "npu.h"

enum { AT_ONCE = 32 }; /* products of 17 and 8 bits and their signs, whose sum is an int32 */
enum { WORK = 24 };    /* products of int8 that take as long as one here */

static int is_small_enough(const NpuConvolutionParams *p) {
  for (int64_t i = 0; i < p->weights.count; ++i)
    if (p->weights.data[i] < -255 || p->weights.data[i] > 255) return 0;
  return 1;
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const NpuConvolutionParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_UINT8, AR_INT16, AR_UINT16) ||
      !AR_NAME(npu_check)(&p->result, y) ||
      !ar_npu_slides(&p->window, p->input_size, p->upscale, y, x))
    return AR_UNSUPPORTED;
  const int64_t taps = ar_times(p->window.filter_size[0], p->window.filter_size[1]);
  const int64_t filters = y->dims[3], elements = ar_times(taps, x->dims[3]);
  if (p->is_depthwise && x->dims[3] != filters) return AR_UNSUPPORTED;
  const int64_t weights = p->is_depthwise ? elements : ar_times(elements, filters);
  if (weights < 0 || weights > AR_MOST_ELEMENTS || p->weights.count != weights ||
      p->bias.count < filters || p->multiplier.count < filters || p->shift.count < filters)
    return AR_UNSUPPORTED;
  for (int64_t i = 0; i < filters; ++i)
    if (p->shift.data[i] < 0 || p->shift.data[i] > AR_NPU_MOST_SHIFT) return AR_UNSUPPORTED;
  if (p->zero_point < -(1 << 15) || p->zero_point >= 1 << 16 || !is_small_enough(p))
    return AR_UNSUPPORTED;
  sizes->workspace = elements * (int64_t)sizeof(int32_t);
  sizes->work = ar_times(ar_times(weights, WORK), (int64_t)y->dims[1] * y->dims[2]);
  return AR_OK;
}

/* Elements of a position's window without their zero point, 0 for padding. */
#define AR_GATHER(T)                                                         \
  static void gather_##T(const T *restrict x, int32_t zero_point, int64_t n, \
                         int32_t *restrict row) {                            \
    for (int64_t i = 0; i < n; ++i) row[i] = (int32_t)x[i] - zero_point;     \
  }
AR_GATHER(int8_t)
AR_GATHER(uint8_t)
AR_GATHER(int16_t)
AR_GATHER(uint16_t)

static void gather_tap(const ar_tensor *x, int32_t zero_point, int64_t place, int32_t *row) {
  const int64_t depth = x->dims[3], first = place * depth;
  switch (x->type) {
    case AR_INT8: gather_int8_t((const int8_t *)x->data + first, zero_point, depth, row); break;
    case AR_UINT8: gather_uint8_t((const uint8_t *)x->data + first, zero_point, depth, row); break;
    case AR_INT16: gather_int16_t((const int16_t *)x->data + first, zero_point, depth, row); break;
    default: gather_uint16_t((const uint16_t *)x->data + first, zero_point, depth, row); break;
  }
}

static void gather(const NpuConvolutionParams *p, const ar_tensor *x, const int32_t *position,
                   int32_t *row) {
  const Window *w = &p->window;
  const int64_t depth = x->dims[3];
  for (int32_t i = 0; i < w->filter_size[0]; ++i) {
    const int32_t top = position[0] * w->stride[0] - w->padding[0] + i * w->dilation[0];
    const int32_t y = ar_npu_place(top, p->input_size[0], p->upscale);
    for (int32_t j = 0; j < w->filter_size[1]; ++j, row += depth) {
      const int32_t left = position[1] * w->stride[1] - w->padding[1] + j * w->dilation[1];
      const int32_t z = ar_npu_place(left, p->input_size[1], p->upscale);
      if (y >= 0 && z >= 0) {
        gather_tap(x, p->zero_point, (int64_t)y * x->dims[2] + z, row);
        continue;
      }
      for (int64_t c = 0; c < depth; ++c) row[c] = 0;
    }
  }
}

static int64_t dot(const int32_t *restrict row, const int16_t *restrict weights, int64_t n) {
  int64_t total = 0;
  for (int64_t first = 0; first < n; first += AT_ONCE) {
    const int64_t end = first + AT_ONCE < n ? first + AT_ONCE : n;
    int32_t part = 0;
    if (end - first == AT_ONCE)
      for (int64_t i = 0; i < AT_ONCE; ++i) part += row[first + i] * weights[first + i];
    else
      for (int64_t i = first; i < end; ++i) part += row[i] * weights[i];
    total += part;
  }
  return total;
}

static void add_products(const int32_t *restrict row, const int16_t *restrict weights, int64_t n,
                         int64_t *restrict sums) {
  for (int64_t i = 0; i < n; ++i) sums[i] += row[i] * weights[i];
}

/* The sums of `n` channels from `first` on. */
static void sum(const NpuConvolutionParams *p, const ar_tensor *io, const int32_t *row,
                int64_t first, int64_t n, int64_t *sums) {
  const int64_t taps = (int64_t)p->window.filter_size[0] * p->window.filter_size[1];
  const int64_t depth = io[1].dims[3];
  for (int64_t i = 0; i < n; ++i) sums[i] = p->bias.data[first + i];
  if (p->is_depthwise) {
    for (int64_t tap = 0; tap < taps; ++tap)
      add_products(row + tap * depth + first, p->weights.data + tap * depth + first, n, sums);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    sums[i] += dot(row, p->weights.data + (first + i) * taps * depth, taps * depth);
}

/* All channels of a position of the output. */
static void convolve(const NpuConvolutionParams *p, const ar_tensor *io, const int32_t *position,
                     int32_t *row) {
  const int64_t filters = io[0].dims[3];
  const int64_t place = ((int64_t)position[0] * io[0].dims[2] + position[1]) * filters;
  int64_t sums[AR_NPU_LINE];
  gather(p, &io[1], position, row);
  for (int64_t c = 0; c < filters; c += AR_NPU_LINE) {
    const int64_t n = filters - c < AR_NPU_LINE ? filters - c : AR_NPU_LINE;
    sum(p, io, row, c, n, sums);
    for (int64_t k = 0; k < n; ++k)
      sums[k] = ar_npu_rescaled(sums[k], p->multiplier.data[c + k], p->shift.data[c + k],
                                p->result.rounding);
    AR_NAME(npu_finish)(&p->result, sums, n, io[0], place + c);
  }
}

static ar_status part(const void *opaque, const void *, const ar_tensor *io, uint8_t *workspace,
                      ar_share share) {
  const int32_t width = io[0].dims[2];
  const ar_range_of_units some = ar_units_of(share, (int64_t)io[0].dims[1] * width);
  for (int64_t i = some.first; i < some.end; ++i)
    convolve(opaque, io, (const int32_t[]){(int32_t)(i / width), (int32_t)(i % width)},
             (int32_t *)workspace);
  return AR_OK;
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  return part(opaque, plan, io, workspace, ar_whole);
}

AR_SHARED_PORTABLE_KERNEL(NPU_CONVOLUTION, measure, ar_plan_nothing, run, part)
