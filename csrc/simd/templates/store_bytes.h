/* The last bytes of a store, where there is no mask for them. Define AR_INLINE before. */
#pragma once

#include <stdint.h>
#include <string.h>

/* The first `count` & 7 bytes of `bytes`. */
AR_INLINE void ar_store_bytes(int8_t *out, uint64_t bytes, int count) {
  if (count & 4) {
    memcpy(out, &bytes, 4);
    bytes >>= 32;
    out += 4;
  }
  if (count & 2) {
    memcpy(out, &bytes, 2);
    bytes >>= 16;
    out += 2;
  }
  if (count & 1) memcpy(out, &bytes, 1);
}
