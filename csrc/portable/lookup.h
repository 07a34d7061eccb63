/* Functions of int8 values as tables of their 256 results, indexed by the byte. */
#ifndef ARENITE_PORTABLE_LOOKUP_H
#define ARENITE_PORTABLE_LOOKUP_H

#include <stdint.h>

static inline void ar_lookup(const int8_t *restrict table, const int8_t *restrict x,
                             int8_t *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = table[(uint8_t)x[i]];
}

#endif
