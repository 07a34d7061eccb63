/* Depthwise convolution for CPUs without SDOT. */
#include "isa.h"

#include "depthwise.h"

int64_t ar_depthwise_arranged_neon(const ar_depthwise *d) { return arranged_bytes(d); }

void ar_depthwise_arrange_neon(const ar_depthwise *d, const int8_t *packed, int8_t *arranged) {
  arrange(d, packed, arranged);
}

int64_t ar_depthwise_workspace_neon(const ar_depthwise *d) { return workspace_bytes(d); }

void ar_depthwise_neon(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  run_depthwise(d, input, weights, blocks, output, workspace);
}
