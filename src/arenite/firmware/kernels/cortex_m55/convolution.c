// template: loop
// Sums of two filters for the windows at ``a`` and ``b``.
for (int32_t i = 0; i < $blocks; ++i, w += 32) {
  $block;
}

// template: block
const int8x16_t one = vld1q_s8(w + $at), two = vld1q_s8(w + $at + 16);
const int8x16_t x = vld1q_s8(a + $i), z = vld1q_s8(b + $i);
a$first = vmladavaq_s8(a$first, x, one);
a$second = vmladavaq_s8(a$second, x, two);
b$first = vmladavaq_s8(b$first, z, one);
b$second = vmladavaq_s8(b$second, z, two);

// template: windows
const int8_t *b = a + $distance;
for (int32_t four = 0; four < $filters; four += 4) {
  const int8_t *w = (const int8_t *)(stream + 4);
  int32_t a0 = stream[0], a1 = stream[1], a2 = stream[2], a3 = stream[3];
  int32_t b0 = a0, b1 = a1, b2 = a2, b3 = a3;
  $first;
  $second;
  stream += 4 + 16 * $blocks;
  int8_t *to = y + $place;
  const ar_vector_how how = $requantize$_how(stream);
  const int32x4_t v = $requantize(ar_vector(a0, a1, a2, a3), how);
  const int32x4_t u = $requantize(ar_vector(b0, b1, b2, b3), how);
  ar_vector_store_both(to, to + $filters, $both, $limits);
  stream += $constants;
}

// template: pixels
for (int32_t i = 0; i < $pairs; ++i) {
  const int32_t pair = $pair;
  ar_vector_copy(pixels, x + pair * 2 * $depth, $depth);
  ar_vector_copy(pixels + 16 * $blocks, x + (pair * 2 + 1) * $depth, $depth);
  part_windows(pixels, stream, y + pair * 2 * $filters);
}

// template: rows
ar_vector_fill(columns, $zero, $bytes);
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy, y += $row_out) {
    for (int32_t ky = 0; ky < $kernel_h; ++ky) {
      const int32_t iy = oy * $stride_h + ky - $top;
      const int8_t *from = x + iy * $row_in;
      int8_t *column = columns + $left + ky * $in_c;
      for (int32_t ix = 0; ix < $in_w; ++ix, from += $in_c, column += $pitch) {
        if (iy >= 0 && iy < $in_h)
          ar_vector_copy(column, from, $in_c);
        else
          ar_vector_fill(column, $zero, $in_c);
      }
    }
    for (int32_t i = 0; i < $pairs; ++i)
      part_windows(columns + i * 2 * $distance, stream, y + i * 2 * $filters);
  }
}
