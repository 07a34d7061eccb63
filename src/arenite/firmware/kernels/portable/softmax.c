// template: rows
for (int32_t row = 0; row < $rows; ++row, x += $depth, y += $depth) {
  $largest_type largest = x[0];
  for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
  $row;
}

// template: int8
// The sum's reciprocal times the exponentials.
uint32_t sum = 0;
// clang-format off
for (int32_t i = 0; i < $depth; ++i)
  sum += (uint32_t)ar_divide_by_power(table[largest - x[i]], 12);
// clang-format on
$bounded;
const int32_t zeros = ar_leading_zeros(sum);
const int32_t reciprocal = ar_one_over_one_plus(ar_wrap((sum << zeros) - 0x80000000u));
const int32_t shift = $distance;
for (int32_t i = 0; i < $depth; ++i) {
  const int32_t share = ar_high_product(reciprocal, table[largest - x[i]]);
  y[i] = ($element)ar_clamp_offset(ar_divide_by_power(share, shift), $low, $low, $high);
}

// template: int16
// The sum as 1 + x with x in [0, 1), in steps of 2^-16, is recentred on the table.
int32_t sum = 0;
for (int32_t i = 0; i < $depth; ++i) {
  const int32_t scaled = ar_rescale(x[i] - largest, $multiplier, $shift);
  const int32_t at = ar_clamp(ar_add(scaled, 32767), -32768, 32767);
  y[i] = (int16_t)ar_table_int16(exponentials, at);
  $add;
}
const int32_t zeros = ar_leading_zeros((uint32_t)sum), bits = 31 - zeros;
const int64_t whole = ((int64_t)sum << (zeros - 1)) + (1 << 13);
const int32_t at = (int32_t)(whole >> 14) - (1 << 15) - (1 << 16);
const int32_t reciprocal = ar_table_int16(reciprocals, ar_clamp(at, -32768, 32767));
const int32_t half = bits > 0 ? 1 << (bits - 1) : 0;
for (int32_t i = 0; i < $depth; ++i) {
  const int64_t share = ((int64_t)y[i] * reciprocal + half) >> bits;
  y[i] = (int16_t)(share < 0 ? 0 : share > $most ? $most : share);
}

// template: float
float sum = 0.0f;
for (int32_t i = 0; i < $depth; ++i) y[i] = ar_exp((x[i] - largest) * $beta);
for (int32_t i = 0; i < $depth; ++i) sum += y[i];
for (int32_t i = 0; i < $depth; ++i) y[i] /= sum;
