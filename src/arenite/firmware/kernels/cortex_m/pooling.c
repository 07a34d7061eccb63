// template: driver
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox, y += $channels) {
      part_pixel(x + oy * $row + ox * $column, y);
    }
  }
}

// template: clipped
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    const int32_t top = oy * $stride_h - $top, y0 = top < 0 ? 0 : top;
    const int32_t y1 = top + $kernel_h < $in_h ? top + $kernel_h : $in_h;
    for (int32_t ox = 0; ox < $out_w; ++ox, y += $in_c) {
      const int32_t left = ox * $stride_w - $left, x0 = left < 0 ? 0 : left;
      const int32_t x1 = left + $kernel_w < $in_w ? left + $kernel_w : $in_w;
      const int8_t *window = x + (y0 * $in_w + x0) * $in_c;
      if (y1 - y0 == $kernel_h && x1 - x0 == $kernel_w)
        part_pixel(window, y);
      else
        part_edge(window, y, y1 - y0, x1 - x0);
    }
  }
}
