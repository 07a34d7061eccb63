// template: top_k
// Of a line the first in order, then the first of those behind it, and so on.
for (int32_t i = 0; i < $outer; ++i, x += $step, values += $out, places += $out) {
  for (int32_t j = 0; j < $inner; ++j) {
    int32_t last = -1;
    for (int32_t n = 0; n < $count; ++n) {
      int32_t found = -1;
      for (int32_t k = 0; k < $size; ++k) {
        const $type one = x[k * $inner + j];
        if (last >= 0) {
          const $type done = x[last * $inner + j];
          if ($one_first || (!($done_first) && k <= last)) continue;
        }
        if (found < 0) {
          found = k;
          continue;
        }
        const $type best = x[found * $inner + j];
        if ($better) found = k;
      }
      values[n * $inner + j] = x[found * $inner + j];
      places[n * $inner + j] = last = found;
    }
  }
}

// template: cumulate
for (int32_t i = 0; i < $outer; ++i, x += $step, y += $step) {
  for (int32_t j = 0; j < $inner; ++j) {
    $type total = $first;
    for (int32_t k = 0; k < $count; ++k) {
      const int32_t at = $place * $inner + j;
      $lines;
    }
  }
}
