/* PAD and PADV2: a tensor in a border of one value. */
#include "strides.h"
#include "records/pad.h"

/* Where the input lies in the output; the value comes from input 2 or from the parameters. */
typedef struct {
  ar_walk walk;
  int64_t start;
} pad_plan;

static ar_status describe(const PadParams *p, const ar_tensor *io, pad_plan *plan) {
  const ar_tensor *y = &io[0], *x = &io[1];
  if (x->rank > 5 || y->rank != x->rank || y->type != x->type || !ar_element_bytes(x->type))
    return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_INT16, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  *plan = (pad_plan){.walk = {.rank = x->rank}};
  int64_t step = 1, inside = 1;
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const int64_t size = (int64_t)p->stop[i] - p->start[i];
    if (p->output_shape[i] != y->dims[i] || size > x->dims[i]) return AR_UNSUPPORTED;
    if (p->start[i] < 0 || !ar_places_inside(p->start[i], size, 1, y->dims[i]))
      return AR_UNSUPPORTED;
    plan->walk.size[i] = size;
    plan->walk.step[i] = step;
    plan->start += p->start[i] * step;
    step *= p->output_shape[i];
    inside *= plan->walk.size[i];
  }
  if (step != ar_elements(y) || inside > ar_elements(x)) return AR_UNSUPPORTED;
  const ar_tensor *value = &io[3];
  if (value->type != AR_ABSENT && (value->type != x->type || ar_elements(value) < 1))
    return AR_UNSUPPORTED;
  ar_walk *walk = &plan->walk;
  ar_simplify(walk);
  if (walk->step[walk->rank - 1] == 1) return AR_OK;
  /* Rows are copied whole: here they have one element. */
  walk->size[walk->rank] = walk->step[walk->rank] = 1;
  ++walk->rank;
  return AR_OK;
}

AR_DESCRIBED(measure, plan, pad_plan, describe)

#define AR_FILL(T)                                   \
  do {                                               \
    T *restrict to = y;                              \
    T one;                                           \
    memcpy(&one, value, sizeof one);                 \
    for (int64_t i = 0; i < count; ++i) to[i] = one; \
  } while (0)

static void fill(void *y, const void *value, int64_t count, int32_t element_bytes) {
  if (element_bytes == 1) AR_FILL(uint8_t);
  else if (element_bytes == 2) AR_FILL(uint16_t);
  else AR_FILL(uint32_t);
}

/* The input's elements fill their place in order. */
static ar_status run(const void *opaque, const void *memory, const ar_tensor *io, uint8_t *) {
  const PadParams *params = opaque;
  const pad_plan *plan = memory;
  const ar_walk *walk = &plan->walk;
  const int32_t bytes = ar_element_bytes(io[0].type);
  /* Only int8 has a zero point other than 0. */
  const int8_t zero_point = (int8_t)params->pad_value;
  const int32_t zero = 0;
  const void *value = bytes == 1 ? (const void *)&zero_point : (const void *)&zero;
  if (io[3].type != AR_ABSENT) value = io[3].data;
  fill(io[0].data, value, ar_elements(&io[0]), bytes);
  for (int32_t i = 0; i < walk->rank; ++i)
    if (walk->size[i] < 1) return AR_OK;
  const size_t row = (size_t)(walk->size[walk->rank - 1] * bytes);
  const uint8_t *from = io[1].data;
  int64_t index[AR_WALK_RANK] = {0}, start = plan->start;
  do {
    memmove((uint8_t *)io[0].data + start * bytes, from, row);
    from += row;
  } while (ar_next(walk, index, &start));
  return AR_OK;
}

AR_PORTABLE_KERNEL(PAD, measure, plan, run)
AR_PORTABLE_KERNEL(PADV2, measure, plan, run)
