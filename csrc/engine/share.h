/* How many of what a part of a kernel's work is. */
#pragma once

#include "engine.h"
#include "engine/proof.h"

/* Some of a row of things: [first, end). */
typedef struct {
  int64_t first, end;
} ar_range_of_units;

/* A part's of n things. */
static inline ar_range_of_units ar_units_of(ar_share share, int64_t n) {
  return (ar_range_of_units){n * share.number / share.count, n * (share.number + 1) / share.count};
}

/* Runs a part of a kernel that goes through its first tensors element by element, all alike. */
static inline ar_status ar_run_flat(ar_run_fn run, int32_t tensors, const void *params,
                                    const void *plan, const ar_tensor *io, uint8_t *workspace,
                                    ar_share share) {
  enum { MOST_TENSORS = 3, AT_ONCE = 64 };
  const int64_t count = ar_elements(&io[0]);
  const ar_range_of_units some = ar_units_of(share, (count + AT_ONCE - 1) / AT_ONCE);
  const int64_t first = some.first * AT_ONCE;
  const int64_t end = some.end * AT_ONCE < count ? some.end * AT_ONCE : count;
  if (first >= end) return AR_OK;
  ar_tensor part[MOST_TENSORS];
  for (int32_t i = 0; i < tensors; ++i) {
    part[i] = io[i];
    part[i].data = (uint8_t *)io[i].data + first * ar_element_bytes(io[i].type);
    part[i].rank = 1;
    part[i].dims[0] = (int32_t)(end - first);
  }
  return run(params, plan, part, workspace);
}

static const ar_share ar_whole = {0, 1};
