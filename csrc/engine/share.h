/* How many of what a part of a kernel's work is. */
#ifndef ARENITE_SHARE_H
#define ARENITE_SHARE_H

#include "engine.h"

/* Some of a row of things: [first, end). */
typedef struct {
  int64_t first, end;
} ar_range_of_units;

/* A part's of n things. */
static inline ar_range_of_units ar_units_of(ar_share share, int64_t n) {
  return (ar_range_of_units){n * share.number / share.count, n * (share.number + 1) / share.count};
}

static const ar_share ar_whole = {0, 1};

#endif
