/* CONV_2D of int8 along a line as CMSIS-NN's vectors compute it: the host's own convolution, then
 * the positions at whose windows CMSIS-NN has other pixels, once more.
 */
#include "product.h"
#include "records/arithmetic_line.h"

enum {
  LINE_ISA_portable = AR_PORTABLE,
  LINE_ISA_avx2 = AR_AVX2,
  LINE_ISA_avxvnni = AR_AVXVNNI,
  LINE_ISA_avx512vnni = AR_AVX512VNNI,
  TENSORS = 4 /* output, input, weights, bias */
};
#define HERE AR_JOIN(LINE_ISA, AR_SUFFIX)

typedef struct {
  ar_run_fn run;
  int64_t bias; /* byte offset in the workspace, behind the sums */
} line_plan;

static const ar_kernel *convolution(const LineParams *p, const ar_tensor *io, ar_sizes *sizes) {
  ar_isa found;
  return ar_find_kernel("CONV_2D", (ar_isa)HERE, &p->conv, io, 1, TENSORS, sizes, &found);
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const LineParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2];
  if (x->type != AR_INT8 || weights->type != AR_INT8 || !weights->data) return AR_UNSUPPORTED;
  ar_sizes inner = {0, 0};
  if (!convolution(p, io, &inner)) return AR_UNSUPPORTED;
  /* That has proven that four dimensions go together, but for groups. */
  if (p->conv.groups != 1 || x->dims[1] != 1 || y->dims[1] != 1 || weights->dims[1] != 1)
    return AR_UNSUPPORTED;
  if (!ar_are_places(p->positions, p->positions.count, y->dims[2])) return AR_UNSUPPORTED;
  if (ar_times(p->positions.count, weights->dims[2]) != p->sources.count) return AR_UNSUPPORTED;
  for (int64_t i = 0; i < p->sources.count; ++i)
    if (p->sources.data[i] < -1 || p->sources.data[i] >= x->dims[2]) return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(&p->conv, io);
  const int64_t own = 2 * ar_align64(4 * (int64_t)weights->dims[0]);
  sizes->plan = ar_align64(sizeof(line_plan)) + inner.plan;
  sizes->workspace = inner.workspace > own ? inner.workspace : own;
  return finish.wide ? AR_UNSUPPORTED : AR_NAME(check_finish)(&finish, weights->dims[0]);
}

static ar_status make_plan(const void *opaque, const ar_tensor *io, void *memory) {
  line_plan *plan = memory;
  ar_sizes inner = {0, 0};
  const ar_kernel *kernel = convolution(opaque, io, &inner);
  if (!kernel) return AR_UNSUPPORTED;
  *plan = (line_plan){kernel->run, ar_align64(4 * (int64_t)io[2].dims[0])};
  return kernel->plan(&((const LineParams *)opaque)->conv, io,
                      (uint8_t *)memory + ar_align64(sizeof *plan));
}

/* One position's sums over the pixels that its taps see. */
static void add_taps(const LineParams *p, const ar_tensor *io, const int8_t *image,
                     const int32_t *sources, uint32_t *sums) {
  const int64_t filters = io[2].dims[0], taps = io[2].dims[2], depth = io[2].dims[3];
  const int8_t *w = io[2].data;
  for (int64_t f = 0; f < filters; ++f) {
    uint32_t sum = 0;
    for (int64_t t = 0; t < taps; ++t, w += depth) {
      if (sources[t] < 0) continue;
      const int8_t *from = image + sources[t] * depth;
      for (int64_t c = 0; c < depth; ++c) sum += (uint32_t)((from[c] + p->conv.input_offset) * w[c]);
    }
    sums[f] = sum;
  }
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const LineParams *p = opaque;
  const line_plan *plan = memory;
  const ar_tensor *y = &io[0], *x = &io[1];
  const ar_status status =
      plan->run(&p->conv, (const uint8_t *)memory + ar_align64(sizeof *plan), io, workspace);
  if (status != AR_OK) return status;
  const ar_finish finish = AR_FINISH_OF(&p->conv, io);
  const int64_t filters = io[2].dims[0], taps = io[2].dims[2];
  AR_NAME(load_bias)(&finish, &io[3], filters, workspace + plan->bias);
  for (int64_t n = 0; n < x->dims[0]; ++n) {
    const int8_t *image = (const int8_t *)x->data + n * x->dims[2] * x->dims[3];
    for (int64_t i = 0; i < p->positions.count; ++i) {
      int8_t *out = (int8_t *)y->data + (n * y->dims[2] + p->positions.data[i]) * filters;
      add_taps(p, io, image, p->sources.data + i * taps, (uint32_t *)workspace);
      AR_NAME(finish)(&finish, workspace, workspace + plan->bias, 0, filters, out);
    }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(CMSIS_NN_LINE, measure, make_plan, run)
