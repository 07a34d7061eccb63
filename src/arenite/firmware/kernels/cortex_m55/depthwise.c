// template: row
int32_t lines[$kernel_h];  // where the window's rows begin
for (int32_t ky = 0, slot = first; ky < $kernel_h; ++ky) {
  lines[ky] = slot * $pitch;
  slot = slot + 1 < $kernel_h ? slot + 1 : 0;
}
for (int32_t four = 0; four < $filters; four += 4) {
  for (int32_t ox = 0; ox < $out_w; ox += $block) {
    const int32_t o = ox < $last ? ox : $last;
    const int8_t *w = (const int8_t *)(stream + 4), *from = rows + o * $step + $place;
    int32x4_t s0 = $sums;
    $all;
    const ar_vector_how how = $requantize$_how(stream + 4 + $taps);
    int8_t *to = y + o * $filters + $place;
    $stores;
  }
  stream += 4 + $taps + $constants;
}

// template: taps
for (int32_t ky = 0; ky < $kernel_h; ++ky) {
  const int8_t *p = from + lines[ky];
  for (int32_t kx = 0; kx < $turns; ++kx, p += $several, w += 4 * $taps_a_turn) {
    int32x4_t v;
    $products;
  }
}

// template: line
{
  const int8_t *p = from + lines[$ky];
  int32x4_t v;
  $products;
}

// template: ring
for (int32_t b = 0; b < $images; ++b, x += $image) {
  int32_t next = 0;
  ar_vector_fill(rows, $zero, $bytes);
  for (int32_t oy = 0; oy < $out_h; ++oy, y += $row_out) {
    for (; next < oy * $stride_h + $kernel_h; ++next) {
      const int32_t iy = next - $top;
      int8_t *to = rows + next % $kernel_h * $pitch + $left;
      if (iy >= 0 && iy < $in_h)
        ar_vector_copy(to, x + iy * $row_in, $row_in);
      else
        ar_vector_fill(to, $zero, $row_in);
    }
    part_row(rows, stream, y, oy * $stride_h % $kernel_h);
  }
}
