// template: rows
for (int32_t i = 0; i < $rows; ++i) {
  const int32_t row = $row;
  const int8_t *from = x + row * $depth;
  int32_t total = 0;
  for (int32_t c = 0; c < $depth; ++c) {
    const uint8_t input = (uint8_t)(from[c] + 128);
    inputs[c] = input;
    total += input;
  }
  part_row(inputs, stream, -128 * total, y + row * $filters);
}

// template: windows
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox, y += $filters) {
      /* The window's rows, with the zero point where there is no image. */
      const int32_t left = ox * $across - $left;
      const int32_t begin = left < 0 ? -left : 0;
      const int32_t end = left + $run < $row_in ? $run : $row_in - left;
      uint8_t *to = inputs;
      int32_t total = 0;
      for (int32_t ky = 0; ky < $kernel_h; ++ky) {
        const int32_t iy = oy * $stride_h + ky * $dilation_h - $top;
        const int32_t from = iy * $row_in + left;
        const int32_t inside = iy >= 0 && iy < $in_h ? end : 0;
        int32_t c = 0;
        for (; c < begin && c < inside; ++c) *to++ = $zero;
        for (; c < inside; ++c) {
          const uint8_t input = (uint8_t)(x[from + c] + 128);
          *to++ = input;
          total += input - $zero;
        }
        for (; c < $run; ++c) *to++ = $zero;
      }
      part_row(inputs, stream, -128 * (total + $zeros), y);
    }
  }
}

// template: taps
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      /* The window's taps in each group of channels, with the zero point where there is no image. */
      const uint32_t *weights = stream;
      for (int32_t group = 0; group < $groups; ++group, weights += $words, y += $filters) {
        uint8_t *to = inputs;
        int32_t total = 0;
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t iy = oy * $stride_h + ky * $dilation_h - $top;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t ix = ox * $stride_w + kx * $dilation_w - $left;
            const int32_t from = (iy * $in_w + ix) * $in_c + group * $depth;
            const int32_t inside = iy >= 0 && iy < $in_h && ix >= 0 && ix < $in_w ? $depth : 0;
            int32_t c = 0;
            for (; c < inside; ++c) {
              const uint8_t input = (uint8_t)(x[from + c] + 128);
              *to++ = input;
              total += input - $zero;
            }
            for (; c < $depth; ++c) *to++ = $zero;
          }
        }
        part_row(inputs, weights, -128 * (total + $zeros), y);
      }
    }
  }
}
