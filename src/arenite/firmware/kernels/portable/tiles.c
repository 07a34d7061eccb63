// template: tiles
for (int32_t n = 0; n < $filters; n += $width) {
  $body;
}

// template: last_again
for (int32_t tile = 0; tile < $filters; tile += $width) {
  const int32_t n = tile < $last ? tile : $last;
  $body;
}

// template: stores
const $total sums[$width] = {$sums};
for (int32_t k = 0; k < $width; ++k) {
  $store;
}
