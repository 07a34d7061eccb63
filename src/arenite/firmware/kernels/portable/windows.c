// template: windows
/* Every output position, and of its window what lies in the image. */
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t n = 0; n < $filters; ++n) {
        $before;
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t iy = oy * $stride_h + ky * $dilation_h - $top;
          if (iy < 0 || iy >= $in_h) continue;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t ix = ox * $stride_w + kx * $dilation_w - $left;
            if (ix < 0 || ix >= $in_w) continue;
            $tap;
          }
        }
        $behind;
      }
    }
  }
}
