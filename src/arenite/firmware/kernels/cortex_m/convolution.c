// template: rows
for (int32_t i = 0; i < $left; ++i) columns[i] = $zero;
for (int32_t i = $right; i < $halfwords; ++i) columns[i] = $zero;
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy, y += $row_out) {
    for (int32_t ky = 0; ky < $kernel_h; ++ky) {
      const int32_t iy = oy * $stride_h + ky$apart$ - $top;
      int16_t *column = columns + $left + ky * $in_c;
      if (iy < 0 || iy >= $in_h) {
        for (int32_t ix = 0; ix < $in_w; ++ix, column += $pitch) {
          for (int32_t c = 0; c < $in_c; ++c) {
            column[c] = $zero;
          }
        }
      } else {
        part_widen(x + iy * $row_in, column);
      }
    }
    part_row(columns, stream, y);
  }
}

// template: groups
const int8_t *const image = x;
int8_t *const outputs = y;
for (int32_t group = 0; group < $groups; ++group) {
  x = image + group * $in_c;
  y = outputs + group * $filters;
  $rows;
  stream += $words;
}
