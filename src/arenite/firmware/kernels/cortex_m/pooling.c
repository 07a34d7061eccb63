// template: driver
for (int32_t b = 0; b < $images; ++b, x += $image)
  for (int32_t oy = 0; oy < $out_h; ++oy)
    for (int32_t ox = 0; ox < $out_w; ++ox, y += $channels)
      part_pixel(x + oy * $row + ox * $column, y);
