/* What kernels of the signal library share: their state, and queues of samples in it. */
#pragma once

#include <string.h>

#include "name.h"

/* In front of a loop whose rounds know nothing of each other, whatever the compiler can prove. */
#ifdef __clang__
#define AR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define AR_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Whether there are `count` states of so many bytes or more. Behind the last tensor is AR_END. */
static inline int ar_have_states(const ar_tensor *states, int64_t count, int64_t bytes) {
  if (bytes < 0) return 0;
  for (int64_t i = 0; i < count; ++i)
    if (states[i].type != AR_UINT8 || states[i].rank != 1 || states[i].dims[0] < bytes) return 0;
  return 1;
}

static inline int ar_is_vector(const ar_tensor *t, int32_t type, int64_t count) {
  return t->type == type && t->rank == 1 && t->dims[0] == count;
}

static inline int ar_is_number(const ar_tensor *t, int32_t type) {
  return t->type == type && ar_elements(t) == 1;
}

static inline int16_t ar_saturate_int16(int32_t x) {
  return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

/* A state as a queue: how many samples wait, whether there were any yet, and behind 16 bytes
 * these samples, oldest first. */
typedef struct {
  int32_t count, has_begun, unused[2];
  int16_t samples[];
} ar_queue;

static inline int64_t ar_queue_bytes(int64_t samples) {
  return (int64_t)sizeof(ar_queue) + samples * 2;
}

/* How many samples wait, at most `most`, whatever the memory holds. */
static inline int32_t ar_queue_count(const ar_queue *queue, int32_t most) {
  const int32_t count = queue->count;
  return count < 0 || count > most ? 0 : count;
}
