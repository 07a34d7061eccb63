// template: driver
int32_t *tiles = scratch, *sums = tiles + $tiles, *down = sums + $sums;
$zeros;
for (int32_t b = 0; b < $images; ++b, x += $image, y += $out_image) {
  for (int32_t row = 0; row < $height; row += $tile) {
    const int32_t oy = row < $last_row ? row : $last_row;
    for (int32_t column = 0; column < $width; column += $span) {
      const int32_t ox = column < $last_column ? column : $last_column;
      const int8_t *middle = x + (oy + $below) * $row_in + ox * $depth;
      int32_t *first = down, *end = down + $columns;
      // clang-format off
      $sides
      const int8_t *top = $top;
      // clang-format on
      const int8_t *bottom = $bottom;
      for (int32_t c = 0; c < $depth; c += 4) {
        part_rows(top + c, middle + c, bottom + c, first, end);
        part_across(down, tiles + c / 2);
      }
      const uint32_t *constants = stream;
      for (int32_t n = 0; n < $filters; n += 4, constants += $constants) {
        int8_t *at = y + (oy * $width + ox) * $filters + (n < $last_filter ? n : $last_filter);
        part_products(tiles, constants, sums);
        part_outputs(sums, constants + $weights, at);
      }
    }
  }
}

// template: sides
if (ox == 0) {
  for (int32_t i = 0; i < $pixel; ++i) *first++ = i % $side == 1 ? $edge : 0;
} else {
  middle -= $depth;
}
if (ox == $last_column) {
  end -= $pixel;
  for (int32_t i = 0; i < $pixel; ++i) end[i] = i % $side == 1 ? $edge : 0;
}
