/* BROADCAST_TO: elements of any size, repeated along axes. BROADCAST_ARGS: of two shapes. */
#include <string.h>

#include "broadcast.h"

/* The output's own dimensions are the second input of the broadcast. */
static ar_status plan(const void *, const ar_tensor *io, void *memory) {
  return ar_broadcast_of(&io[0], &io[1], &io[0], memory);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_broadcast unused;
  if (io[0].type != io[1].type || !ar_element_bytes(io[0].type)) return AR_UNSUPPORTED;
  sizes->plan = sizeof(ar_broadcast);
  return plan(params, io, &unused);
}

#define AR_FILL(T)                                      \
  do {                                                  \
    const T one = *(const T *)from;                     \
    for (int64_t i = 0; i < n; ++i) ((T *)to)[i] = one; \
  } while (0)

static void fill(const uint8_t *from, uint8_t *to, int64_t n, int32_t bytes) {
  switch (bytes) {
    case 1: AR_FILL(uint8_t); break;
    case 2: AR_FILL(uint16_t); break;
    case 4: AR_FILL(uint32_t); break;
    default: AR_FILL(uint64_t);
  }
}

/* Repeats what stands at `to`, each time all that is there already. */
static void repeat(uint8_t *to, int64_t bytes, int64_t times) {
  const int64_t total = bytes * times;
  for (int64_t done = bytes; done < total; done *= 2)
    memcpy(to + done, to, (size_t)(done < total - done ? done : total - done));
}

/* Where the input stands still along the last axis but one, its rows are one row of repetitions. */
static ar_status run(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  ar_broadcast outer = *(const ar_broadcast *)plan;
  const int32_t bytes = ar_element_bytes(io[0].type), last = outer.rank - 1;
  const int64_t n = outer.size[last], step = outer.step[0][last];
  const int repeats = last > 0 && outer.step[0][last - 1] == 0;
  const int64_t times = repeats ? outer.size[last - 1] : 1;
  if (repeats) --outer.rank;
  uint8_t *to = io[0].data;
  ar_row row = {0};
  if (ar_elements(&io[0]) == 0) return AR_OK;
  do {
    const uint8_t *from = (const uint8_t *)io[1].data + row.start[0] * bytes;
    if (step) memmove(to, from, (size_t)(n * bytes));
    else fill(from, to, n, bytes);
    repeat(to, n * bytes, times);
    to += n * bytes * times;
  } while (ar_next_row(&outer, &row));
  return AR_OK;
}

AR_PORTABLE_KERNEL(BROADCAST_TO, measure, plan, run)

static ar_status measure_args(const void *, const ar_tensor *io, ar_sizes *) {
  const int32_t type = io[0].type;
  if (!AR_IS_ONE_OF(type, AR_INT32, AR_INT64)) return AR_UNSUPPORTED;
  if (io[1].type != type || io[2].type != type) return AR_UNSUPPORTED;
  const int64_t m = ar_elements(&io[1]), n = ar_elements(&io[2]);
  return ar_elements(&io[0]) == (m > n ? m : n) ? AR_OK : AR_UNSUPPORTED;
}

/* Size `i` from the end of so many, of which 32 bits count; 1 in front of the first. */
static inline int32_t size_of(const ar_tensor *shape, int64_t count, int64_t i) {
  const int64_t place = count - 1 - i;
  if (place < 0) return 1;
  if (shape->type == AR_INT32) return ((const int32_t *)shape->data)[place];
  return (int32_t)(uint32_t)(uint64_t)((const int64_t *)shape->data)[place];
}

/* Sizes that do not go together are Python's to refuse. */
static ar_status run_args(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t n = ar_elements(&io[0]);
  const int64_t first = ar_elements(&io[1]), second = ar_elements(&io[2]);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t a = size_of(&io[1], first, i), b = size_of(&io[2], second, i);
    if (a != 1 && b != 1 && a != b) return AR_BAD_ARGUMENT;
    const int32_t size = a == 1 ? b : a;
    if (io[0].type == AR_INT32) ((int32_t *)io[0].data)[n - 1 - i] = size;
    else ((int64_t *)io[0].data)[n - 1 - i] = size;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(BROADCAST_ARGS, measure_args, ar_plan_nothing, run_args)
