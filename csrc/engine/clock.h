/* The time, for what waits and what pauses. Needs _POSIX_C_SOURCE. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t ar_now_ns(void) {
  struct timespec t = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
