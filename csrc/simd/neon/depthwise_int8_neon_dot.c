/* Depthwise convolution with SDOT. */
#include "dot.h"

#include "isa.h"

#include "depthwise.h"

int64_t ar_depthwise_workspace_neondot(const ar_depthwise *d) { return workspace_bytes(d); }

void ar_depthwise_neondot(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  run_depthwise(d, input, weights, blocks, output, workspace);
}
#pragma clang attribute pop
