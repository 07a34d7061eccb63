// template: fully_connected
for (int32_t b = 0; b < $images; ++b, x += $depth) {
  for (int32_t n = 0; n < $filters; ++n) {
    const int32_t w = n * $depth;
    $total sum = $start;
    for (int32_t c = 0; c < $depth; ++c) $add;
    $finish;
  }
}

// template: transposed
// An output position takes from the input those pixels whose filters reach it.
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t n = 0; n < $filters; ++n) {
        $total sum = $start;
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t down = oy + $top - ky, iy = down / $stride_h;
          if (down < 0 || down % $stride_h || iy >= $in_h) continue;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t right = ox + $left - kx, ix = right / $stride_w;
            if (right < 0 || right % $stride_w || ix >= $in_w) continue;
            const $element *pixel = x + (iy * $in_w + ix) * $depth;
            const int32_t w = ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
            for (int32_t c = 0; c < $depth; ++c) $add;
          }
        }
        $finish;
      }
    }
  }
}
