// template: row
for (int32_t four = 0; four < $filters; four += 4) {
  int32_t s0 = stream[0], s1 = stream[1], s2 = stream[2], s3 = stream[3];
  const int8_t *w = (const int8_t *)(stream + 4), *p = x;
  for (int32_t i = 0; i < $blocks; ++i, p += 16, w += 64) {
    const int8x16_t v = vld1q_s8(p);
    s0 = vmladavaq_s8(s0, v, vld1q_s8(w));
    s1 = vmladavaq_s8(s1, v, vld1q_s8(w + 16));
    s2 = vmladavaq_s8(s2, v, vld1q_s8(w + 32));
    s3 = vmladavaq_s8(s3, v, vld1q_s8(w + 48));
  }
  stream += 4 + 16 * $blocks;
  const ar_vector_how how = $requantize$_how(stream);
  ar_vector_store(y + $place, $requantize(ar_vector(s0, s1, s2, s3), how), $right, $limits);
  stream += $constants;
}
