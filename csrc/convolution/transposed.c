#include "transposed.h"

enum { ROWS = AR_TRANSPOSED_ROWS, FILTERS = AR_TRANSPOSED_FILTERS };

/* Bytes of a row of a filter that lie side by side. */
static int32_t row_bytes(int32_t depth) { return depth == 3 ? 8 : 4; }

int64_t ar_transposed_bytes(int32_t depth) {
  const int32_t last = depth == 3 ? 4 : 0;
  return ar_round_up(FILTERS * (ROWS * row_bytes(depth) + last), 64);
}

void ar_pack_transposed(const ar_gemm_conv *p, int8_t *packed) {
  const int32_t side = row_bytes(p->depth), row = ROWS * p->depth;
  for (int32_t f = 0; f < FILTERS; ++f, packed += 4) {
    const int8_t *filter = (const int8_t *)p->weights + f * p->filter_step;
    for (int32_t y = 0; y < ROWS; ++y)
      for (int32_t i = 0; i < row; ++i, filter += p->element_step) {
        const int32_t byte = i < side ? y * side + i : ROWS * side + y;
        packed[byte / 4 * 4 * FILTERS + byte % 4] = *filter;
      }
  }
}

/* Whether a row has enough positions, and few of them are computed twice. */
static int fills_lanes(int32_t columns) {
  return columns >= AR_TRANSPOSED_POSITIONS &&
         5 * ar_round_up(columns, AR_TRANSPOSED_POSITIONS) <= 6 * columns;
}

ar_gemm_tile ar_transposed_tile(const ar_gemm_isa *isa, const ar_gemm_conv *p) {
  const Window *w = &p->window;
  if (!isa->find_transposed || p->is_float || p->filters != FILTERS) return 0;
  if (w->filter_size[0] != ROWS || w->filter_size[1] != ROWS || w->dilation[1] != 1) return 0;
  if (!fills_lanes(w->output_size[1])) return 0;
  return isa->find_transposed(p->depth, w->stride[1]);
}
