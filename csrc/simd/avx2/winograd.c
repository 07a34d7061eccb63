/* Winograd convolutions with pairs of int16. */
#include "isa.h"
#include "lanes.h"

#define AR_WITHOUT_REALS
#define AR_IN_FLIGHT 1 /* the products are independent, and sums take a cycle */
#include "winograd.h"

void ar_winograd_avx2(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                      const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  run_winograd(w, input, weights, blocks, output, workspace);
}
