// template: div_int8
const int32_t below = $b + $offset2 == 0 ? 1 : $b + $offset2, above = $a + $offset1;
int32_t bits;
const int32_t inverse = ar_reciprocal(below < 0 ? -below : below, &bits);
const int32_t dividend = below < 0 ? -above : above;
const int32_t room = ar_leading_zeros((uint32_t)(dividend < 0 ? ~dividend : dividend)) - 1;
const int32_t quotient = ar_high_product(ar_wrap((uint32_t)dividend << room), inverse);
// clang-format off
const int32_t scaled = ar_divide_by_any_power(ar_high_product(quotient, $multiplier),
                                              bits + room - $shift);
// clang-format on
$y = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: squared
// clang-format off
const int32_t first = ar_rescale(ar_wrap((uint32_t)($a + $offset1) << $left),
                                 $multiplier1, $shift1);
const int32_t second = ar_rescale(ar_wrap((uint32_t)($b + $offset2) << $left),
                                  $multiplier2, $shift2);
// clang-format on
const int32_t difference = ar_wrap((uint32_t)first - (uint32_t)second);
const int32_t scaled = ar_rescale(ar_multiply(difference, difference), $multiplier, $shift);
$y = ($type)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: prelu
const int32_t value = $a + $offset1;
// clang-format off
const int32_t scaled =
    value >= 0 ? ar_rescale(value, $multiplier1, $shift1)
               : ar_rescale(ar_multiply(value, $b + $offset2), $multiplier2, $shift2);
// clang-format on
$y = ($type)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: add_n_int8
const uint32_t zero = (uint32_t)($nothing);
const uint32_t sum = zero + $terms;
const int32_t scaled = ar_rescale(ar_wrap(sum), $multiplier, $shift);
y[i] = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);
