// template: arg
for (int32_t i = 0; i < outer; ++i, x += count * inner) {
  for (int32_t j = 0; j < inner; ++j) {
    int32_t found = 0;
    for (int32_t k = 1; k < count; ++k)
      if (x[k * inner + j] $sign x[found * inner + j]) found = k;
    *y++ = found;
  }
}

// template: cumsum
for (int32_t i = 0; i < outer; ++i, x += count * inner, y += count * inner) {
  for (int32_t j = 0; j < inner; ++j) {
    $sum total = $first;
    for (int32_t k = 0; k < count; ++k) {
      const int32_t at = $place * inner + j;
      $lines;
    }
  }
}

// template: fed
// Of an axis that is fed; without a case of its own it is no axis of the layer.
int32_t outer = 0, count = 0, inner = 0;
switch (*axis) {
  $cases;
  default: break;
}

// template: nowhere
if (!count) {
  for (int32_t i = 0; i < $size; ++i) y[i] = 0;
}
