// template: pool
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      const int32_t top = oy * $stride_h - $top, left = ox * $stride_w - $left;
      const int32_t y0 = top < 0 ? 0 : top, x0 = left < 0 ? 0 : left;
      const int32_t y1 = top + $kernel_h < $in_h ? top + $kernel_h : $in_h;
      const int32_t x1 = left + $kernel_w < $in_w ? left + $kernel_w : $in_w;
      for (int32_t c = 0; c < $in_c; ++c) {
        $total $sum = $start;
        for (int32_t iy = y0; iy < y1; ++iy) {
          for (int32_t ix = x0; ix < x1; ++ix) {
            const $total element = x[(iy * $in_w + ix) * $in_c + c];
            $step;
          }
        }
        $finish;
        *y++ = $result;
      }
    }
  }
}
