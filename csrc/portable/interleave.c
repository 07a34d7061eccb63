/* CONCATENATION and PACK put parts together along an axis; SPLIT, SPLIT_V and UNPACK take them
 * apart. */
#include "boxes.h"
#include "records/copy.h"

/* Whether the parts, which lie one behind the other in io, make the whole. */
static ar_status check(const Interleaving *p, const ar_tensor *parts, const ar_tensor *whole) {
  int64_t total = 0;
  if (!ar_element_bytes(whole->type) || p->copy_sizes.count < p->parts) return AR_UNSUPPORTED;
  for (int32_t i = 0; i < p->parts; ++i) {
    const ar_tensor *part = &parts[i]; /* of another type, and the last, is the first absent one */
    if (part->type != whole->type) return AR_UNSUPPORTED;
    if (ar_elements(part) != ar_times(p->outer_size, p->copy_sizes.data[i])) return AR_UNSUPPORTED;
    total += ar_elements(part);
  }
  return total == ar_elements(whole) ? AR_OK : AR_UNSUPPORTED;
}

/* The whole behind `before` inputs and the parts, if there are so many tensors. */
static const ar_tensor *whole_behind(const Interleaving *p, const ar_tensor *io, int32_t before) {
  if (p->parts < 1) return 0;
  for (int32_t i = 0; i < p->parts + before; ++i)
    if (io[i].type == AR_ABSENT) return 0;
  return &io[p->parts + before];
}

static ar_status measure_join(const void *params, const ar_tensor *io, ar_sizes *) {
  return check(params, &io[1], &io[0]);
}

static ar_status run_join(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const Interleaving *p = opaque;
  const int64_t bytes = ar_element_bytes(io[0].type);
  uint8_t *to = io[0].data;
  if (ar_elements(&io[0]) == 0) return AR_OK;
  const int64_t row = ar_elements(&io[0]) / p->outer_size * bytes;
  for (int32_t i = 0; i < p->parts; ++i) {
    const int64_t block = p->copy_sizes.data[i] * bytes;
    ar_copy_runs(to, row, io[1 + i].data, block, p->outer_size, block);
    to += block;
  }
  return AR_OK;
}

static ar_status divide(const Interleaving *p, const ar_tensor *parts, const ar_tensor *whole) {
  const int64_t bytes = ar_element_bytes(whole->type);
  const uint8_t *from = whole->data;
  if (ar_elements(whole) == 0) return AR_OK;
  const int64_t row = ar_elements(whole) / p->outer_size * bytes;
  for (int32_t i = 0; i < p->parts; ++i) {
    const int64_t block = p->copy_sizes.data[i] * bytes;
    ar_copy_runs(parts[i].data, block, from, row, p->outer_size, block);
    from += block;
  }
  return AR_OK;
}

/* SPLIT's first input is the axis. */
static ar_status measure_split(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *whole = whole_behind(opaque, io, 1);
  return whole ? check(opaque, io, whole) : AR_UNSUPPORTED;
}

static ar_status run_split(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const Interleaving *p = opaque;
  return divide(p, io, &io[p->parts + 1]);
}

/* UNPACK's first input is the whole, and SPLIT_V's: its others are done with. */
static ar_status measure_unpack(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *whole = whole_behind(opaque, io, 0);
  return whole ? check(opaque, io, whole) : AR_UNSUPPORTED;
}

static ar_status run_unpack(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const Interleaving *p = opaque;
  return divide(p, io, &io[p->parts]);
}

AR_PORTABLE_KERNEL(CONCATENATION, measure_join, ar_plan_nothing, run_join)
AR_PORTABLE_KERNEL(PACK, measure_join, ar_plan_nothing, run_join)
AR_PORTABLE_KERNEL(SPLIT, measure_split, ar_plan_nothing, run_split)
AR_PORTABLE_KERNEL(SPLIT_V, measure_unpack, ar_plan_nothing, run_unpack)
AR_PORTABLE_KERNEL(UNPACK, measure_unpack, ar_plan_nothing, run_unpack)
