// template: gather
for (int32_t b = 0; b < $batches; ++b, x += $batch, indices += $count) {
  for (int32_t o = 0; o < $outer; ++o) {
    for (int32_t k = 0; k < $count; ++k) {
      const int32_t index = ar_clamp(indices[k], 0, $last);
      for (int32_t i = 0; i < $inner; ++i) *y++ = x[(o * $axis + index) * $inner + i];
    }
  }
}

// template: gather_nd
for (int32_t k = 0; k < $count; ++k, indices += $depth) {
  const int64_t place = $place;
  const int32_t start = (int32_t)(place < 0 ? 0 : place > $last ? $last : place);
  for (int32_t i = 0; i < $inner; ++i) *y++ = x[start + i];
}

// template: lookup
for (int32_t k = 0; k < $count; ++k) {
  const $type *row = x + ar_clamp(indices[k], 0, $last) * $inner;
  for (int32_t i = 0; i < $inner; ++i) *y++ = $value;
}

// template: update
for (int32_t n = 0; n < $size; ++n) y[n] = x[n];
$starts;
y += $start;
$loops;

// template: broadcast_args
for (int32_t i = 0; i < $size; ++i) {
  const int32_t a = $first, b = $second;
  y[i] = a == 1 ? b : a;
}
