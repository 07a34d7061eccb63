// template: energy
for (int32_t i = 0; i < $size; ++i) y[i] = 0;
for (int32_t i = $start; i < $end; ++i) {
  const int32_t real = x[2 * i], imaginary = x[2 * i + 1];
  y[i] = (uint32_t)(real * real) + (uint32_t)(imaginary * imaginary);
}

// template: auto_scale
int32_t largest = 0;
for (int32_t i = 0; i < $size; ++i) {
  const int32_t value = x[i];
  // clang-format off
  if (value > largest)
    largest = value;
  else if (-value > largest)
    largest = value == INT16_MIN ? INT16_MIN : -value; /* the magnitude of that in 16 bits */
  // clang-format on
}
const int32_t bits = largest > 0 ? ar_leading_zeros((uint32_t)largest) - 17 : 0;
// clang-format off
for (int32_t i = 0; i < $size; ++i)
  y[i] = (int16_t)ar_sign_extend((uint32_t)x[i] << bits, 16);
// clang-format on
*shift = bits;

// template: filter_bank
uint64_t left = 0;
for (int32_t channel = 0; channel <= $channels; ++channel) {
  const int32_t width = widths[channel], bin = bins[channel], start = starts[channel];
  uint64_t sum = left, rest = 0;
  const int inside = bin >= 0 && bin + width <= $bins && start >= 0 && start + width <= $factors;
  for (int32_t i = 0; inside && i < width; ++i) {
    sum += (uint64_t)((int64_t)weights[start + i] * (int64_t)x[bin + i]);
    rest += (uint64_t)((int64_t)unweights[start + i] * (int64_t)x[bin + i]);
  }
  if (channel > 0) y[channel - 1] = sum; /* the first is only there for what it leaves */
  left = rest;
}

// template: log
for (int32_t i = 0; i < $size; ++i) {
  const uint32_t value = x[i] << $bits;
  if (value <= 1) {
    y[i] = 0;
    continue;
  }
  const int32_t whole = 31 - ar_leading_zeros(value);
  // clang-format off
  const int32_t fraction =
      (int32_t)(((uint64_t)(value - (UINT32_C(1) << whole)) << 16) >> whole);
  // clang-format on
  const int32_t segment = fraction >> 9, inside = fraction - (segment << 9);
  const int32_t low = table[segment], high = table[segment + 1];
  const int32_t log_2 = (whole << 16) + fraction + low + (((high - low) * inside) >> 16);
  const uint32_t natural = (uint32_t)((INT64_C(45426) * log_2 + (1 << 15)) >> 16);
  const uint32_t scaled = ($scale * natural + (1u << 15)) >> 16;
  y[i] = (int16_t)(scaled < INT16_MAX ? scaled : INT16_MAX);
}

// template: pcan
for (int32_t i = 0; i < $size; ++i) {
  const uint32_t level = noise[i];
  const int32_t bits = 32 - ar_leading_zeros(level);
  int32_t at = level <= 2 ? (int32_t)level : 4 * bits - 6;
  if (at > $last) at = $last;
  int32_t gain = table[at];
  if (level > 2) {
    const int32_t fraction = (int32_t)(((uint64_t)level << 11) >> bits) & 0x3FF;
    const int32_t bent = ((table[at + 2] * fraction) >> 5) + table[at + 1] * 32;
    const int32_t sum = ((bent * fraction + (1 << 14)) >> 15) + gain;
    gain = ar_sign_extend((uint32_t)sum, 16);
  }
  const uint32_t snr = (uint32_t)(((uint64_t)x[i] * (uint32_t)gain) >> $shift);
  y[i] = snr < 2u << 12 ? (snr * snr) >> 20 : (snr >> 6) - (1u << 6);
}
