/* MIRROR_PAD: a tensor in a border that mirrors it, whose width may be fed. */
#include "boxes.h"
#include "records/mirror_pad.h"

/* An axis of n elements of the input at `whole` places of the output, `left` of them before it. */
typedef struct {
  int64_t n, left, whole;
} mirrored_axis;

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Which element stands at a place. */
static inline int64_t element_at(mirrored_axis axis, int64_t edge, int64_t place) {
  place -= axis.left;
  if (place < 0) return edge - 1 - place;
  if (place < axis.n) return place;
  const int64_t behind = axis.n - 1 - edge - (place - axis.n);
  return behind > 0 ? behind : 0;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const MirrorPadParams *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (y->type != x->type || y->rank != x->rank || !ar_element_bytes(x->type)) return AR_UNSUPPORTED;
  if (p->edge < 0 || p->edge > 1) return AR_UNSUPPORTED;
  return ar_has_numbers(&io[2], 2 * x->rank) ? AR_OK : AR_UNSUPPORTED;
}

/* Reads the axes; 0 if something that is not there would have to be mirrored. */
static int read_axes(const MirrorPadParams *p, const ar_tensor *io, mirrored_axis *axes) {
  const ar_tensor *y = &io[0], *x = &io[1];
  int64_t paddings[AR_MOST_NUMBERS];
  ar_read_numbers(&io[2], 2 * x->rank, paddings);
  for (int32_t i = 0; i < x->rank; ++i) {
    const int64_t n = x->dims[i], left = paddings[2 * i], right = paddings[2 * i + 1];
    int64_t whole = n;
    if (!ar_add_product(&whole, 1, left) || !ar_add_product(&whole, 1, right)) return 0;
    if (whole != y->dims[i]) return 0;
    if (whole && (n < 1 || (left > 0 && left > n - p->edge))) return 0;
    axes[i] = (mirrored_axis){n, left, whole};
  }
  return 1;
}

/* One row of runs: what is mirrored, what lies between, what is mirrored, the first run again. */
static void write_row(mirrored_axis axis, int64_t edge, const uint8_t *x, uint8_t *y, int64_t run) {
  int64_t place = 0;
  if (axis.left > 0) {
    place = smaller(axis.left, axis.whole);
    ar_copy_runs(y, run, x + (axis.left + edge - 1) * run, -run, place, run);
  }
  int64_t from = place - axis.left;
  if (from < axis.n) {
    const int64_t count = smaller(axis.n - from, axis.whole - place);
    memmove(y + place * run, x + from * run, (size_t)(count * run));
    place += count;
  }
  from = place < axis.whole ? element_at(axis, edge, place) : 0;
  if (from > 0) {
    const int64_t count = smaller(from, axis.whole - place);
    ar_copy_runs(y + place * run, run, x + from * run, -run, count, run);
    place += count;
  }
  for (; place < axis.whole; ++place) memmove(y + place * run, x, (size_t)run);
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const MirrorPadParams *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  mirrored_axis axes[AR_BOX_RANK] = {{1, 0, 1}};
  if (!read_axes(p, io, axes)) return AR_BAD_ARGUMENT;
  if (ar_elements(y) == 0) return AR_OK;
  /* Behind the last axis with a border lie runs that are copied whole. */
  int32_t last = x->rank - 1;
  int64_t run_bytes = ar_element_bytes(x->type);
  for (; last > 0 && axes[last].left == 0 && axes[last].whole == axes[last].n; --last)
    run_bytes *= axes[last].n;
  if (last < 0) last = 0;
  int64_t steps[AR_BOX_RANK], index[AR_BOX_RANK] = {0};
  steps[last] = run_bytes;
  for (int32_t i = last - 1; i >= 0; --i) steps[i] = steps[i + 1] * axes[i + 1].n;
  uint8_t *to = y->data;
  for (;;) {
    int64_t start = 0;
    for (int32_t i = 0; i < last; ++i) start += element_at(axes[i], p->edge, index[i]) * steps[i];
    write_row(axes[last], p->edge, (const uint8_t *)x->data + start, to, run_bytes);
    to += axes[last].whole * run_bytes;
    int32_t i = last - 1;
    for (; i >= 0; --i) {
      if (++index[i] < axes[i].whole) break;
      index[i] = 0;
    }
    if (i < 0) return AR_OK;
  }
}

AR_PORTABLE_KERNEL(MIRROR_PAD, measure, ar_plan_nothing, run)
