/* SLICE cuts a box out of a tensor, DYNAMIC_UPDATE_SLICE puts one in. Where it lies may be fed. */
#include "boxes.h"

static ar_status measure_slice(const void *, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *y = &io[0], *x = &io[1], *begin = &io[2], *size = &io[3];
  if (y->type != x->type || !ar_element_bytes(x->type)) return AR_UNSUPPORTED;
  return ar_has_numbers(begin, x->rank) && ar_has_numbers(size, x->rank) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_slice(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *y = &io[0], *x = &io[1];
  int64_t begin[AR_BOX_RANK], size[AR_BOX_RANK], start = 0, taken = 1;
  ar_read_numbers(&io[2], x->rank, begin);
  ar_read_numbers(&io[3], x->rank, size);
  int64_t from = ar_element_bytes(x->type), to = from;
  ar_box box = {.run = to};
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const int64_t n = x->dims[i];
    if (begin[i] < 0 || begin[i] > n) return AR_BAD_ARGUMENT;
    if (size[i] == -1) size[i] = n - begin[i];
    if (size[i] < 0 || size[i] > n - begin[i]) return AR_BAD_ARGUMENT;
    ar_box_axis(&box, size[i], from, to);
    start += begin[i] * from;
    from *= n;
    to *= size[i];
    taken *= size[i];
  }
  if (taken != ar_elements(y)) return AR_BAD_ARGUMENT;
  if (taken) ar_copy_box(&box, (const uint8_t *)x->data + start, y->data);
  return AR_OK;
}

static ar_status measure_update(const void *, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *y = &io[0], *x = &io[1], *update = &io[2], *starts = &io[3];
  if (!ar_alike(y, x) || update->type != x->type || !ar_element_bytes(x->type))
    return AR_UNSUPPORTED;
  if (update->rank != x->rank || !ar_has_numbers(starts, x->rank)) return AR_UNSUPPORTED;
  for (int32_t i = 0; i < x->rank; ++i)
    if (update->dims[i] > x->dims[i]) return AR_UNSUPPORTED;
  return AR_OK;
}

static ar_status run_update(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *y = &io[0], *x = &io[1], *update = &io[2];
  const int64_t bytes = ar_element_bytes(x->type);
  int64_t starts[AR_BOX_RANK], start = 0, from = bytes, to = bytes;
  ar_read_numbers(&io[3], x->rank, starts);
  ar_box box = {.run = bytes};
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const int64_t last = x->dims[i] - update->dims[i];
    const int64_t first = starts[i] < 0 ? 0 : starts[i] > last ? last : starts[i];
    ar_box_axis(&box, update->dims[i], from, to);
    start += first * to;
    from *= update->dims[i];
    to *= x->dims[i];
  }
  if (ar_elements(y) == 0) return AR_OK;
  if (y->data != x->data) memmove(y->data, x->data, (size_t)(ar_elements(x) * bytes));
  if (ar_elements(update)) ar_copy_box(&box, update->data, (uint8_t *)y->data + start);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SLICE, measure_slice, ar_plan_nothing, run_slice)
AR_PORTABLE_KERNEL(DYNAMIC_UPDATE_SLICE, measure_update, ar_plan_nothing, run_update)
