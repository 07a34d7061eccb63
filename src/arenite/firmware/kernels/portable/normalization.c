// template: l2_float
float squares = 0.0f;
for (int32_t i = 0; i < $depth; ++i) squares += x[i] * x[i];
const float root = ar_root(squares), norm = root < 1e-6f ? 1e-6f : root;
for (int32_t i = 0; i < $depth; ++i) y[i] = x[i] / norm;

// template: l2_int8
int32_t squares = 0, shift;
for (int32_t i = 0; i < $depth; ++i)
  squares = ar_add(squares, ar_multiply(x[i] - $zero, x[i] - $zero));
const int32_t multiplier = ar_inverse_sqrt(squares, &shift);
for (int32_t i = 0; i < $depth; ++i)
  y[i] = (int8_t)ar_clamp(ar_rescale(x[i] - $zero, multiplier, shift + 7), -128, 127);

// template: log_softmax_float
float largest = x[0], sum = 0.0f;
for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
for (int32_t i = 0; i < $depth; ++i) sum += ar_exp(x[i] - largest);
const float log_sum = ar_log(sum);
for (int32_t i = 0; i < $depth; ++i) y[i] = x[i] - largest - log_sum;

// template: log_softmax_int8
int32_t largest = x[0];
for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
int64_t sum = 0;
for (int32_t i = 0; i < $depth; ++i) sum += ar_divide_by_power(table[largest - x[i]], 12);
const int32_t log_sum = ar_fixed_log(sum > INT32_MAX ? INT32_MAX : (int32_t)sum);
const int32_t low = ar_rescale(log_sum + INT32_MIN, $reverse_multiplier, $reverse_shift);
const int32_t least = low < $least ? $least : low;
for (int32_t i = 0; i < $depth; ++i) {
  const int32_t difference = x[i] - largest;
  const int32_t scaled = ar_rescale(difference, $multiplier, $shift);
  const int32_t log = ar_wrap((uint32_t)scaled - (uint32_t)log_sum);
  const int32_t steps = ar_clamp(127 + ar_divide_by_power(log, 22), -128, 127);
  y[i] = (int8_t)(difference > least ? steps : -128);
}

// template: l2_pool
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      const int32_t top = oy * $stride_h - $top, left = ox * $stride_w - $left;
      const int32_t y0 = top < 0 ? 0 : top, x0 = left < 0 ? 0 : left;
      const int32_t y1 = top + $kernel_h < $in_h ? top + $kernel_h : $in_h;
      const int32_t x1 = left + $kernel_w < $in_w ? left + $kernel_w : $in_w;
      for (int32_t c = 0; c < $channels; ++c) {
        float sum = 0.0f;
        for (int32_t iy = y0; iy < y1; ++iy) {
          for (int32_t ix = x0; ix < x1; ++ix) {
            const float element = x[(iy * $in_w + ix) * $channels + c];
            sum += element * element;
          }
        }
        const float value = ar_root(sum / (float)((y1 - y0) * (x1 - x0)));
        *y++ = value < $low ? $low : value > $high ? $high : value;
      }
    }
  }
}
