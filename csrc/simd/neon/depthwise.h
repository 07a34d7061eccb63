/* Depthwise convolution for any image and filter. Include lanes.h before. */
#include "depthwise_eight.h"

#include "depthwise_any.h"
#include "depthwise_slide.h"
#include "depthwise_tall.h"

static int64_t workspace_bytes(const ar_depthwise *d) {
  return slides(d) ? slide_bytes(d) : is_tall(d) ? tall_bytes(d) : ring_bytes(d);
}

static void run_depthwise(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  (slides(d) ? slide : is_tall(d) ? tall : in_strips)(d, input, weights, blocks, output, workspace);
}
