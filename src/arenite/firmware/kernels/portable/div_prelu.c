// template: div_int8
// clang-format off
const int32_t below = $b + $input2_offset == 0 ? 1 : $b + $input2_offset, above = $a + $input1_offset;
int32_t bits;
const int32_t inverse = ar_reciprocal(below < 0 ? -below : below, &bits);
const int32_t dividend = below < 0 ? -above : above;
const int32_t room = ar_leading_zeros((uint32_t)(dividend < 0 ? ~dividend : dividend)) - 1;
const int32_t quotient = ar_high_product(ar_wrap((uint32_t)dividend << room), inverse);
const int32_t scaled = ar_divide_by_any_power(ar_high_product(quotient, $output_multiplier),
                                              bits + room - $output_shift);
// clang-format on
$y = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: squared
// clang-format off
const int32_t first = ar_rescale(ar_wrap((uint32_t)($a + $input1_offset) << $left_shift),
                                 $input1_multiplier, $input1_shift);
const int32_t second = ar_rescale(ar_wrap((uint32_t)($b + $input2_offset) << $left_shift),
                                  $input2_multiplier, $input2_shift);
const int32_t difference = ar_wrap((uint32_t)first - (uint32_t)second);
const int32_t scaled = ar_rescale(ar_multiply(difference, difference), $output_multiplier, $output_shift);
// clang-format on
$y = ($type)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: prelu
const int32_t value = $a + $input_offset;
// clang-format off
const int32_t scaled =
    value >= 0 ? ar_rescale(value, $multiplier_identity, $shift_identity)
               : ar_rescale(ar_multiply(value, $b + $alpha_offset), $multiplier_alpha, $shift_alpha);
// clang-format on
$y = ($type)ar_clamp_offset(scaled, $output_offset, $low, $high);

// template: add_n_int8
const uint32_t zero = (uint32_t)($nothing);
const uint32_t sum = zero + $terms;
const int32_t scaled = ar_rescale(ar_wrap(sum), $multiplier, $shift);
y[i] = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);
