/* CONV_2D of int8 as CMSIS-NN's vectors compute it: the host's own convolution, then the positions
 * for which CMSIS-NN has other pixels or weights, or rounds otherwise, once more.
 */
#include <string.h>

#include "product.h"
#include "records/arithmetic_cmsis_deviations.h"

enum {
  REDONE_ISA_portable = AR_PORTABLE,
  REDONE_ISA_avx2 = AR_AVX2,
  REDONE_ISA_avxvnni = AR_AVXVNNI,
  REDONE_ISA_avx512vnni = AR_AVX512VNNI,
  TENSORS = 4,   /* output, input, weights, bias */
  IN_FRONT = 2,  /* zeros in front of the weights */
  MOST = 1 << 14 /* of an offset: its sum with an int8 has 16 bits */
};
#define HERE AR_JOIN(REDONE_ISA, AR_SUFFIX)

typedef struct {
  ar_run_fn run;
  int64_t inner, weights;  /* byte offsets in the plan */
  int64_t bias, row, sums; /* byte offsets in the workspace, behind the convolution's */
  int64_t depth, taps;     /* weights of a filter; those of the same pixel's */
} redone_plan;

static const ar_kernel *convolution(const RedoneParams *p, const ar_tensor *io, ar_sizes *sizes) {
  ar_isa found;
  return ar_find_kernel("CONV_2D", (ar_isa)HERE, &p->conv, io, 1, TENSORS, sizes, &found);
}

/* Whether all numbers lie from `low` on and below `high`. */
static int all_within(ar_int32s array, int64_t low, int64_t high) {
  for (int64_t i = 0; i < array.count; ++i)
    if (array.data[i] < low || array.data[i] >= high) return 0;
  return 1;
}

static ar_status describe(const RedoneParams *p, const ar_tensor *io, redone_plan *plan,
                          ar_sizes *sizes) {
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2];
  if (x->type != AR_INT8 || !AR_IS_ONE_OF(weights->type, AR_INT8, AR_INT4) || !weights->data)
    return AR_UNSUPPORTED;
  ar_sizes inner = {0, 0};
  const ar_kernel *kernel = convolution(p, io, &inner);
  /* That has proven that four dimensions go together, but for groups. */
  if (!kernel || p->conv.groups != 1) return AR_UNSUPPORTED;
  if (p->conv.input_offset < -MOST || p->conv.input_offset > MOST) return AR_UNSUPPORTED;
  const int64_t filters = weights->dims[0], depth = ar_elements(weights) / filters;
  const int64_t count = p->positions.count;
  *plan = (redone_plan){
      .run = kernel->run, .depth = depth, .taps = (int64_t)weights->dims[1] * weights->dims[2]};
  if (!ar_are_places(p->positions, count, ar_elements(y) / filters)) return AR_UNSUPPORTED;
  if (p->sources.count != ar_times(count, plan->taps) ||
      p->starts.count != ar_times(count, filters) || p->rounds_half_up.count != count)
    return AR_UNSUPPORTED;
  if (!all_within(p->sources, -1, ar_elements(x) / x->dims[3]) ||
      !all_within(p->starts, -IN_FRONT, (filters - 1) * depth + 1))
    return AR_UNSUPPORTED;
  plan->inner = ar_align64(sizeof *plan);
  plan->weights = ar_align64(plan->inner + inner.plan);
  plan->bias = ar_align64(inner.workspace);
  plan->row = plan->bias + ar_align64(4 * filters);
  plan->sums = plan->row + ar_align64(2 * depth);
  sizes->plan = plan->weights + IN_FRONT + filters * depth;
  sizes->workspace = plan->sums + 4 * filters * count;
  const ar_finish finish = AR_FINISH_OF(&p->conv, io);
  return finish.wide ? AR_UNSUPPORTED : AR_NAME(check_finish)(&finish, filters);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  redone_plan plan;
  return describe(params, io, &plan, sizes);
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  const RedoneParams *p = params;
  redone_plan *plan = memory;
  ar_sizes sizes = {0, 0};
  const ar_status status = describe(p, io, plan, &sizes);
  if (status != AR_OK) return status;
  int8_t *weights = (int8_t *)memory + plan->weights;
  const int64_t count = ar_elements(&io[2]);
  memset(weights, 0, IN_FRONT);
  weights += IN_FRONT;
  if (io[2].type == AR_INT8) memcpy(weights, io[2].data, (size_t)count);
  else
    for (int64_t i = 0; i < count; ++i) weights[i] = ar_int4_at(io[2].data, i);
  ar_sizes inner = {0, 0};
  const ar_kernel *kernel = convolution(p, io, &inner);
  return kernel->plan(&p->conv, io, (uint8_t *)memory + plan->inner);
}

/* The pixels that a position's taps see, offset added; zeros where they see none. */
static void gather(const RedoneParams *p, const redone_plan *plan, const int8_t *x,
                   const int32_t *sources, int16_t *restrict row) {
  const int64_t channels = plan->depth / plan->taps;
  const int16_t offset = (int16_t)p->conv.input_offset;
  for (int64_t t = 0; t < plan->taps; ++t, row += channels) {
    if (sources[t] < 0) {
      memset(row, 0, (size_t)channels * 2);
      continue;
    }
    const int8_t *restrict from = x + sources[t] * channels;
    for (int64_t c = 0; c < channels; ++c) row[c] = (int16_t)(from[c] + offset);
  }
}

/* A product of 16 and 8 bits is an int32; their sum wraps. */
static uint32_t dot(const int16_t *restrict row, const int8_t *restrict w, int64_t depth) {
  uint32_t sum = 0;
  for (int64_t k = 0; k < depth; ++k) sum += (uint32_t)((int32_t)row[k] * w[k]);
  return sum;
}

static void sum_positions(const RedoneParams *p, const redone_plan *plan, const void *memory,
                          const ar_tensor *io, uint8_t *workspace) {
  const int64_t filters = io[2].dims[0];
  const int8_t *weights = (const int8_t *)memory + plan->weights + IN_FRONT;
  int16_t *row = (int16_t *)(workspace + plan->row);
  uint32_t *sums = (uint32_t *)(workspace + plan->sums);
  for (int64_t i = 0; i < p->positions.count; ++i) {
    gather(p, plan, io[1].data, p->sources.data + i * plan->taps, row);
    const int32_t *starts = p->starts.data + i * filters;
    for (int64_t f = 0; f < filters; ++f) *sums++ = dot(row, weights + starts[f], plan->depth);
  }
}

/* Two roundings, halves up. */
static int32_t round_half_up(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t bare = ar_bare_shift(shift), right = bare < -1 ? -bare : 1;
  const int32_t moved = (int32_t)((uint32_t)x << (bare + right));
  const int64_t high = ((int64_t)moved * multiplier + (INT64_C(1) << 30)) >> 31;
  const int64_t most = high > INT32_MAX ? INT32_MAX : high;
  return (int32_t)((most + (INT64_C(1) << (right - 1))) >> right);
}

static void finish_half_up(const Conv2DParams *p, const int32_t *sums, const int32_t *bias,
                           int64_t filters, int8_t *y) {
  for (int64_t f = 0; f < filters; ++f) {
    const int32_t sum = (int32_t)((uint32_t)sums[f] + (uint32_t)bias[f]);
    const int32_t scaled = round_half_up(sum, p->multiplier.data[f], p->shift.data[f]);
    y[f] = (int8_t)ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                                   (int32_t)p->activation_max);
  }
}

static ar_status run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const RedoneParams *p = params;
  const redone_plan *plan = memory;
  const int64_t filters = io[2].dims[0];
  const ar_finish finish = AR_FINISH_OF(&p->conv, io);
  /* First, because the output may lie over the input. */
  sum_positions(p, plan, memory, io, workspace);
  const ar_status status =
      plan->run(&p->conv, (const uint8_t *)memory + plan->inner, io, workspace);
  if (status != AR_OK) return status;
  uint8_t *bias = workspace + plan->bias;
  AR_NAME(load_bias)(&finish, &io[3], filters, bias);
  for (int64_t i = 0; i < p->positions.count; ++i) {
    const uint8_t *sums = workspace + plan->sums + i * filters * 4;
    int8_t *out = (int8_t *)io[0].data + p->positions.data[i] * filters;
    if (p->rounds_half_up.data[i])
      finish_half_up(&p->conv, (const int32_t *)sums, (const int32_t *)bias, filters, out);
    else AR_NAME(finish)(&finish, sums, bias, 0, filters, out);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(CMSIS_NN_REDONE, measure, make_plan, run)
