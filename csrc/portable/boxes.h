/* Boxes: elements of one tensor that go to a regular place of another. All steps are bytes. */
#pragma once

#include <string.h>

#include "name.h"

/* Copies `count` runs of `run` bytes, which lie `from` bytes apart in x and `to` in y. */
void AR_NAME(copy_runs)(uint8_t *y, int64_t to, const uint8_t *x, int64_t from, int64_t count,
                        int64_t run);
#define ar_copy_runs AR_NAME(copy_runs)

/* One run. */
static inline void ar_copy_run(uint8_t *y, const uint8_t *x, int64_t run) {
  if (run < 32 || run > 512) {
    memmove(y, x, (size_t)run);
    return;
  }
  for (int64_t i = 0; i < run; i += 32) {
    uint64_t part[4];
    const int64_t at = i < run - 32 ? i : run - 32; /* the last one may overlap */
    memcpy(part, x + at, sizeof part);
    memcpy(y + at, part, sizeof part);
  }
}

enum { AR_BOX_RANK = 6 };

/* Runs of bytes along axes, the innermost first. */
typedef struct {
  int64_t run;
  int32_t rank;
  int64_t size[AR_BOX_RANK], from[AR_BOX_RANK], to[AR_BOX_RANK];
} ar_box;

/* An axis around what the box has, at most AR_BOX_RANK times; joined with that where the elements
 * lie as if it was longer. */
static inline void ar_box_axis(ar_box *box, int64_t size, int64_t from, int64_t to) {
  const int32_t last = box->rank - 1;
  if (size == 1) return;
  if (last < 0 && from == box->run && to == box->run) {
    box->run *= size;
    return;
  }
  if (last >= 0 && from == box->from[last] * box->size[last] &&
      to == box->to[last] * box->size[last]) {
    box->size[last] *= size;
    return;
  }
  box->size[box->rank] = size;
  box->from[box->rank] = from;
  box->to[box->rank] = to;
  ++box->rank;
}

/* Copies a box; x and y point to its first run. */
void AR_NAME(copy_box)(const ar_box *box, const uint8_t *x, uint8_t *y);
#define ar_copy_box AR_NAME(copy_box)

enum { AR_MOST_NUMBERS = 12 };

/* The first `count` numbers of an int32 or int64 tensor: read once, since an output may lie over
 * it. */
static inline void ar_read_numbers(const ar_tensor *t, int32_t count, int64_t *numbers) {
  for (int32_t i = 0; i < count; ++i)
    numbers[i] =
        t->type == AR_INT64 ? ((const int64_t *)t->data)[i] : ((const int32_t *)t->data)[i];
}

/* Whether a tensor has so many numbers for ar_read_numbers(). */
static inline int ar_has_numbers(const ar_tensor *t, int64_t count) {
  return AR_IS_ONE_OF(t->type, AR_INT32, AR_INT64) && ar_elements(t) >= count;
}
