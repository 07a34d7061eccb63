// template: sequence
int16_t *const wide_last = wide + $more;
for (int32_t i = $inputs; i < $more; ++i) wide[i] = 0;
for (int32_t b = 0; b < $batches; ++b) {
  const int8_t *last = hidden + b * $units;
  for (int32_t t = 0; t < $steps; ++t) {
    const int8_t *now = x + $place * $inputs;
    int8_t *out = y + $place * $units;
    for (int32_t i = 0; i < $inputs; ++i) wide[i] = now[i];
    for (int32_t u = 0; u < $units; ++u) wide_last[u] = last[u];
    for (int32_t u = 0; u < $units; ++u) {
      /* Sums of the unit's four gates, of what comes in and of the hidden state. */
      int32_t sums[8];
      part_now(wide, now_weights + u * $now_words, sums);
      part_last(wide_last, last_weights + u * $last_words, sums + 4);
      $gates;
      $update;
    }
    last = out;
  }
  for (int32_t u = 0; u < $units; ++u) hidden[b * $units + u] = last[u];
}
