/* Functions of int16 values, interpolated in tables of 513 entries; see lut.lookup_int16. */
#pragma once

#include <stdint.h>

enum { AR_TABLE_INT16 = 513 };

static inline int32_t ar_table_int16(const int32_t *table, int32_t x) {
  const int32_t index = 256 + (x >> 7);
  const int32_t base = table[index];
  return base + (((table[index + 1] - base) * (x & 0x7F) + 64) >> 7);
}
