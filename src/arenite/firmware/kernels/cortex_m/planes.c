// template: driver
for (int32_t b = 0; b < $images; ++b, x += $image, y += $image_out) {
  for (int32_t group = 0; group < $channels; group += 4) {
    const int32_t c = $group;
    const uint32_t *constants = stream + $from * $constants;
    for (int32_t strip = 0; strip < $strips; ++strip) {
      const int32_t first = strip * $step - $top;
      int32_t row = 0;
      if (strip > 0) {
        for (; row < $kept; ++row)
          for (int32_t plane = 0; plane < 4; ++plane)
            for (int32_t i = 0; i < $words; ++i)
              planes[plane * $plane + row * $words + i] =
                  planes[plane * $plane + (row + $step) * $words + i];
      }
      while (row < $rows) {
        const int32_t iy = first + row;
        if (iy >= 0 && iy < $in_h) {
          const int32_t left = $in_h - iy, wanted = $rows - row;
          const int32_t count = left < wanted ? left : wanted;
          part_gather(x + iy * $row_in + c, planes + row * $words, count);
          row += count;
        } else {
          for (int32_t plane = 0; plane < 4; ++plane)
            for (int32_t i = 0; i < $words; ++i)
              planes[plane * $plane + row * $words + i] = $zeros$u;
          row += 1;
        }
      }
      $convolve;
    }
  }
}

// template: several
/* Several channels of each one. */
for (int32_t m = 0; m < $multiplier; ++m) {
  const uint32_t *more = constants + m * $own;
  $call;
}
