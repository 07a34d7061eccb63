// template: values
for (int32_t i = 0; i < $size; i += 4) {
  const mve_pred16_t some = vctp32q((uint32_t)($size - i));
  int32x4_t sum = vmulq_n_s32(vldrbq_z_s32(a + i, some), $first);
  sum = vaddq_n_s32(vmlaq_n_s32(sum, vldrbq_z_s32(b + i, some), $second), $addend);
  sum = vmaxq_s32(vminq_s32(vshrq_n_s32(sum, $k), vdupq_n_s32($high)), vdupq_n_s32($low));
  vstrbq_p_s32(y + i, sum, some);
}
