// template: add
// Four channels of all pixels before the next four: sums stay in registers.
for (int32_t c = 0; c + 4 <= $channels; c += 4, sums += 4, x += 4) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t i = 0; i < $all; i += $channels)
    s0 += x[i], s1 += x[i + 1], s2 += x[i + 2], s3 += x[i + 3];
  sums[0] += s0, sums[1] += s1, sums[2] += s2, sums[3] += s3;
}
for (int32_t c = 0; c < $channels % 4; ++c)
  for (int32_t i = c; i < $all; i += $channels) sums[c] += x[i];

// template: average
for (int32_t c = 0; c < $channels; ++c) {
  const int32_t sum = sums[c];
  const int32_t mean = (sum < 0 ? sum - $half : sum + $half) / $count;
  y[c] = (int8_t)ar_clamp(mean, $low, $high);
}

// template: mean
for (int32_t c = 0; c < $channels; ++c) {
  const int32_t scaled = ar_rescale(sums[c] - $zeros, $multiplier, $shift);
  y[c] = (int8_t)ar_clamp_offset(scaled, $zero, $low, $high);
}
