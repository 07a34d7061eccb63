/* MNN_RASTER: pieces of the inputs copied by strides to pieces of the output. */
#include <string.h>

#include "name.h"
#include "records/mnn_raster.h"

enum { MAX_RANK = 8 };

/* Along axis i there are size[i] elements, `from` and `to` apart. */
typedef struct {
  int32_t input;
  int64_t start[2]; /* in the input, in the output */
  const int64_t *size, *from, *to;
} piece;

static piece piece_of(const MnnRasterParams *p, int32_t number) {
  const int64_t *row = p->pieces.data + (int64_t)number * (3 + 3 * p->rank);
  return (piece){
      (int32_t)row[0], {row[1], row[2]}, row + 3, row + 3 + p->rank, row + 3 + 2 * p->rank};
}

/* Whether the elements from `start` on, by these steps, are among those of a tensor. */
static int inside(const piece *p, int32_t rank, int64_t start, const int64_t *step,
                  const ar_tensor *t) {
  const int64_t elements = ar_elements(t);
  int64_t low = start, high = start;
  for (int32_t i = 0; i < rank; ++i)
    if (!ar_add_product(step[i] < 0 ? &low : &high, p->size[i] - 1, step[i])) return 0;
  return low >= 0 && high < elements;
}

/* Whether a piece stays in its input and in the output. Its elements may meet each other. */
static int fits(const MnnRasterParams *p, const piece *one, const ar_tensor *io) {
  int64_t count = 1;
  for (int32_t i = 0; i < p->rank; ++i)
    if (one->size[i] == 0) return 1;
  for (int32_t i = 0; i < p->rank; ++i) count = ar_times(count, one->size[i]);
  if (count < 0 || count > AR_MOST_ELEMENTS) return 0;
  return inside(one, p->rank, one->start[0], one->from, &io[1 + one->input]) &&
         inside(one, p->rank, one->start[1], one->to, &io[0]);
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const MnnRasterParams *p = opaque;
  int32_t inputs = 0;
  if (p->rank < 0 || p->rank > MAX_RANK || !ar_element_bytes(io[0].type)) return AR_UNSUPPORTED;
  if (p->count < 0 || p->pieces.count < (int64_t)p->count * (3 + 3 * p->rank))
    return AR_UNSUPPORTED;
  while (io[1 + inputs].type == io[0].type) ++inputs;
  for (int32_t i = 0; i < p->count; ++i) {
    const piece one = piece_of(p, i);
    if (one.input < 0 || one.input >= inputs || !fits(p, &one, io)) return AR_UNSUPPORTED;
  }
  return AR_OK;
}

#define AR_COPY(T)                                                                                \
  static void copy_##T(const T *restrict x, T *restrict y, int64_t n, int64_t from, int64_t to) { \
    if (from == 1 && to == 1) {                                                                   \
      memmove(y, x, (size_t)n * sizeof *x);                                                       \
      return;                                                                                     \
    }                                                                                             \
    for (int64_t i = 0; i < n; ++i) y[i * to] = x[i * from];                                      \
  }
AR_COPY(uint8_t)
AR_COPY(uint16_t)
AR_COPY(uint32_t)
AR_COPY(uint64_t)

static void copy_row(const uint8_t *x, uint8_t *y, int32_t bytes, int64_t n, int64_t from,
                     int64_t to) {
  switch (bytes) {
    case 1: copy_uint8_t(x, y, n, from, to); break;
    case 2: copy_uint16_t((const uint16_t *)x, (uint16_t *)y, n, from, to); break;
    case 4: copy_uint32_t((const uint32_t *)x, (uint32_t *)y, n, from, to); break;
    default: copy_uint64_t((const uint64_t *)x, (uint64_t *)y, n, from, to);
  }
}

static void copy_piece(const piece *p, int32_t rank, const uint8_t *x, uint8_t *y, int32_t bytes) {
  int64_t index[MAX_RANK] = {0}, source = p->start[0], target = p->start[1];
  const int32_t last = rank - 1;
  for (int32_t i = 0; i < rank; ++i)
    if (p->size[i] < 1) return;
  for (;;) {
    copy_row(x + source * bytes, y + target * bytes, bytes, rank ? p->size[last] : 1,
             rank ? p->from[last] : 1, rank ? p->to[last] : 1);
    int32_t i = last - 1;
    for (; i >= 0; --i) {
      source += p->from[i];
      target += p->to[i];
      if (++index[i] < p->size[i]) break;
      source -= p->from[i] * p->size[i];
      target -= p->to[i] * p->size[i];
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const MnnRasterParams *p = opaque;
  const int32_t bytes = ar_element_bytes(io[0].type);
  if (p->clears) memset(io[0].data, 0, (size_t)(ar_elements(&io[0]) * bytes));
  for (int32_t i = 0; i < p->count; ++i) {
    const piece one = piece_of(p, i);
    copy_piece(&one, p->rank, io[1 + one.input].data, io[0].data, bytes);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MNN_RASTER, measure, ar_plan_nothing, run)
