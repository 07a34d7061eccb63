/* Requantisation in the reference's own arithmetic, which Arm has instructions for: SQRDMULH is the
 * first rounding. SRSHL is the second where nothing is below zero, or where that does not show;
 * halves below zero go away from it as soon as SSRA has taken one off. Include lanes.h before.
 *
 * Facts: gemmlowp fixedpoint.h, fixedpoint_neon.h; Arm Architecture Reference Manual, C7.2. */
#include "arithmetic/fixedpoint.h"
#include "arithmetic/requantize_plan.h"

/* Plans one lane of a block whose lanes all have rounded products: no line has to be searched for. */
static ar_requantize_mode plan_rounded(ar_requantize_block *block, int lane,
                                       const ar_rescaling *rescaling, int32_t channel,
                                       int32_t output_offset, int32_t activation_min,
                                       int32_t activation_max, ar_range range) {
  enum { MOST = 32000 /* with an offset two bytes hold it */ };
  const int32_t multiplier = rescaling->multiplier.data[channel];
  const int32_t shift = rescaling->shift.data[channel], right = ar_bare_shift(shift);
  if (ar_rounds_once(shift) || right > -1 || right < -31 || multiplier < 0) return AR_REQUANT_SLOW;
  if (range.low <= INT32_MIN || range.high >= INT32_MAX) return AR_REQUANT_SLOW;
  if (ar_rescale((int32_t)range.low, multiplier, shift) < -MOST ||
      ar_rescale((int32_t)range.high, multiplier, shift) > MOST)
    return AR_REQUANT_SLOW;
  if (output_offset < INT8_MIN || output_offset > INT8_MAX || activation_min > activation_max)
    return AR_REQUANT_SLOW;
  memcpy(&block->scale[lane], &multiplier, sizeof multiplier);
  memcpy(&block->offset[lane], &right, sizeof right);
  memcpy(&block->negative_offset[lane], &output_offset, sizeof output_offset);
  return AR_REQUANT_BARE;
}
