// template: resize
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    const $type *above = x + rows[2 * oy], *below = x + rows[2 * oy + 1];
    const $weight down = down_by[oy];
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      const int32_t left = columns[2 * ox], other = columns[2 * ox + 1];
      const $weight right = right_by[ox];
      for (int32_t c = 0; c < $channels; ++c) {
        $mix;
      }
    }
  }
}

// template: floats
float sum = above[left + c] * (1.0f - down) * (1.0f - right);
sum += below[left + c] * down * (1.0f - right);
sum += above[other + c] * (1.0f - down) * right;
sum += below[other + c] * down * right;
*y++ = sum;
