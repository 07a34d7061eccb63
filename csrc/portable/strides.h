/* Walks over elements that lie at regular distances. */
#pragma once

#include <string.h>

#include "name.h"

enum { AR_WALK_RANK = 6 };

/* Along axis i there are `size` elements, `step` elements apart; the last axis is a row. */
typedef struct {
  int32_t rank; /* at least 1 */
  int64_t size[AR_WALK_RANK];
  int64_t step[AR_WALK_RANK];
} ar_walk;

/* Goes on to the next row: moves `start`; 0 behind the last one. */
static inline int ar_next(const ar_walk *walk, int64_t index[AR_WALK_RANK], int64_t *start) {
  for (int32_t i = walk->rank - 2; i >= 0; --i) {
    *start += walk->step[i];
    if (++index[i] < walk->size[i]) return 1;
    *start -= walk->step[i] * walk->size[i];
    index[i] = 0;
  }
  return 0;
}

/* Leaves out axes of one element, and makes one axis of two along which the elements lie at
 * the same distance. */
static inline void ar_simplify(ar_walk *walk) {
  int32_t rank = 0;
  for (int32_t i = 0; i < walk->rank; ++i) {
    const int64_t size = walk->size[i], step = walk->step[i];
    if (size == 1) continue;
    if (rank > 0 && walk->step[rank - 1] == step * size) {
      walk->size[rank - 1] *= size;
      walk->step[rank - 1] = step;
      continue;
    }
    walk->size[rank] = size;
    walk->step[rank] = step;
    ++rank;
  }
  if (rank == 0) walk->size[0] = walk->step[0] = 1, rank = 1;
  walk->rank = rank;
}

#define AR_GATHER_ROW(T)                                    \
  do {                                                      \
    const T *restrict from = (const T *)x + start;          \
    T *restrict to = (T *)y + done;                         \
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * step]; \
  } while (0)

/* Copies the elements of a walk, which starts at x[start], to y, one behind the other. */
static inline void ar_gather(const ar_walk *walk, const void *x, int64_t start, void *y,
                             int32_t element_bytes) {
  const int64_t n = walk->size[walk->rank - 1], step = walk->step[walk->rank - 1];
  int64_t index[AR_WALK_RANK] = {0}, done = 0;
  for (int32_t i = 0; i < walk->rank; ++i)
    if (walk->size[i] < 1) return;
  do {
    if (step == 1) {
      memmove((uint8_t *)y + done * element_bytes, (const uint8_t *)x + start * element_bytes,
              (size_t)(n * element_bytes));
    } else if (element_bytes == 1) {
      AR_GATHER_ROW(uint8_t);
    } else if (element_bytes == 2) {
      AR_GATHER_ROW(uint16_t);
    } else if (element_bytes == 4) {
      AR_GATHER_ROW(uint32_t);
    } else {
      AR_GATHER_ROW(uint64_t);
    }
    done += n;
  } while (ar_next(walk, index, &start));
}
