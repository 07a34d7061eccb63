#include "requantize_plan.h"

#include "fixedpoint.h"

ar_requantize_mode ar_requantize_integer_plan(ar_requantize_integers *way, int lane,
                                              int32_t multiplier, int32_t shift,
                                              int32_t output_offset) {
  int place = (lane & 1) * (AR_BLOCK / 2) + lane / 2;
  way->multiplier[lane] = multiplier;
  way->shift[lane] = shift;
  way->output_offset = output_offset;
  const int once = ar_rounds_once(shift);
  const int32_t bare = ar_bare_shift(shift);
  /* Beyond a right shift of 20 the folded output offset could leave 64 bits; the rounding of
   * the 64-bit form is that of positive multipliers. */
  if (bare > -1 || bare < -20 || multiplier < 0) {
    way->mode = AR_REQUANT_SLOW;
    return AR_REQUANT_SLOW;
  }
  const int64_t total = 31 - bare;
  way->constant[place] = (once ? 0 : INT64_C(1) << 30) + (INT64_C(1) << (total - 1)) +
                         output_offset * (INT64_C(1) << total);
  way->below_zero = once ? 0 : INT64_C(1) << 31;
  way->high_shift[lane] = (int32_t)(total - 32);
  if (way->mode < AR_REQUANT_INTEGER) way->mode = AR_REQUANT_INTEGER;
  return AR_REQUANT_INTEGER;
}
