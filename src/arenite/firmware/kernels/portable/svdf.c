// template: step
for (int32_t b = 0; b < $batches; ++b, x += $inputs) {
  for (int32_t u = 0; u < $units; ++u) {
    $total sum = bias[u];
    for (int32_t f = u * $rank; f < (u + 1) * $rank; ++f, state += $memory) {
      $total newest = 0, filtered = 0;
      // clang-format off
      for (int32_t i = 0; i < $inputs; ++i)
        $weigh_input;
      // clang-format on
      for (int32_t m = 0; m < $memory - 1; ++m) state[m] = state[m + 1];
      state[$memory - 1] = $stored;
      // clang-format off
      for (int32_t m = 0; m < $memory; ++m)
        $weigh_time;
      // clang-format on
      $add;
    }
    *y++ = $result;
  }
}
