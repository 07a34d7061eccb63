/* Products the other way round, for what is often the first layer of an image: sixteen positions
 * lie in the lanes of a register, and what all lanes share are weights. Filters of 3x3 over one
 * channel or three make few whole dwords row by row, and eight of them half a register. */
#pragma once

#include "gemm_conv.h"

enum {
  AR_TRANSPOSED_ROWS = 3, /* of a filter, and columns */
  AR_TRANSPOSED_FILTERS = 8,
  AR_TRANSPOSED_POSITIONS = 16, /* at a time: a row has as many, or more */
  AR_TRANSPOSED_DWORDS = 7      /* of a filter, at most */
};

/* The weights of all filters, dword by dword: two of a row of three channels, or one. The ninth bytes
 * of three rows are a dword of their own behind those. */
int64_t ar_transposed_bytes(int32_t depth);
void ar_pack_transposed(const ar_gemm_conv *conv, int8_t *packed);

/* The tile for this problem, which takes a whole row; NULL where there is none. */
ar_gemm_tile ar_transposed_tile(const ar_gemm_isa *isa, const ar_gemm_conv *conv);
