/* REVERSE_V2: neighbouring axes, which may be fed, with their elements in reverse order. */
#include "boxes.h"

/* 16 bytes in reverse order. */
static inline void reverse_16(uint8_t *y, const uint8_t *x) {
  typedef uint8_t bytes __attribute__((vector_size(16)));
  bytes all;
  memcpy(&all, x, sizeof all);
  all = __builtin_shufflevector(all, all, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  memcpy(y, &all, sizeof all);
}

/* Rows of `count` bytes, 8 or more, in reverse order; the last step of a row may overlap. */
static void reverse_rows(uint8_t *y, const uint8_t *x, int64_t rows, int64_t count) {
  for (int64_t i = 0; i < rows; ++i, y += count, x += count) {
    if (count < 16) {
      uint64_t first, last;
      memcpy(&first, x, sizeof first);
      memcpy(&last, x + count - 8, sizeof last);
      first = __builtin_bswap64(first), last = __builtin_bswap64(last);
      memcpy(y, &last, sizeof last);
      memcpy(y + count - 8, &first, sizeof first);
      continue;
    }
    for (int64_t j = 0; j + 16 <= count; j += 16) reverse_16(y + j, x + count - 16 - j);
    if (count % 16) reverse_16(y + count - 16, x);
  }
}

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *y = &io[0], *x = &io[1], *axes = &io[2];
  if (!ar_alike(y, x) || !ar_element_bytes(x->type)) return AR_UNSUPPORTED;
  const int64_t count = ar_elements(axes);
  return axes->type == AR_INT32 && count >= 1 && count <= x->rank ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *x = &io[1];
  const int32_t count = (int32_t)ar_elements(&io[2]);
  int64_t axes[AR_BOX_RANK];
  ar_read_numbers(&io[2], count, axes);
  uint32_t seen = 0;
  int32_t first = x->rank;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + x->rank : axes[i];
    if (axis < 0 || axis >= x->rank) return AR_BAD_ARGUMENT;
    seen |= 1u << axis;
    if (axis < first) first = (int32_t)axis;
  }
  if (seen != ((1u << count) - 1) << first) return AR_BAD_ARGUMENT;
  int64_t outer = 1, middle = 1, inner = ar_element_bytes(x->type);
  for (int32_t i = 0; i < x->rank; ++i) {
    if (i < first) outer *= x->dims[i];
    else if (i < first + count) middle *= x->dims[i];
    else inner *= x->dims[i];
  }
  if (ar_elements(x) == 0) return AR_OK;
  const uint8_t *from = x->data;
  if (inner == 1 && middle >= 8 && middle < 64) {
    reverse_rows(io[0].data, from, outer, middle);
    return AR_OK;
  }
  ar_box box = {.run = inner};
  ar_box_axis(&box, middle, -inner, inner);
  ar_box_axis(&box, outer, middle * inner, middle * inner);
  ar_copy_box(&box, from + (middle - 1) * inner, io[0].data);
  return AR_OK;
}

AR_PORTABLE_KERNEL(REVERSE_V2, measure, ar_plan_nothing, run)
