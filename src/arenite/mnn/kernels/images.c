// template: transposed
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t n = 0; n < $filters; ++n) {
        const int32_t group = n / $own, filter = n % $own;
        double sum = 0;
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t down = oy + $top - ky * $dilation_h, iy = down / $stride_h;
          if (down < 0 || down % $stride_h || iy >= $in_h) continue;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t right = ox + $left - kx * $dilation_w, ix = right / $stride_w;
            if (right < 0 || right % $stride_w || ix >= $in_w) continue;
            const float *pixel = x + (iy * $in_w + ix) * $in_c + group * $depth;
            const int32_t w = ((group * $kernel_h + ky) * $kernel_w + kx) * $depth;
            for (int32_t c = 0; c < $depth; ++c)
              sum += (double)pixel[c] * (double)weights[(w + c) * $own + filter];
          }
        }
        // clang-format off
        $bias
        *y++ = ar_clamp_float((float)sum, $low, $high);
        // clang-format on
      }
    }
  }
}

// template: resize
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t c = 0; c < $channels; ++c) {
        $total sum = 0;
        for (int32_t i = 0; i < $taps; ++i) {
          $total line = 0;
          // clang-format off
          for (int32_t j = 0; j < $taps; ++j)
            line += ($pixel) * column_weights[$taps * ox + j];
          // clang-format on
          sum += line * row_weights[$taps * oy + i];
        }
        $result;
      }
    }
  }
}

// template: lrn
double squares = 0;
$loops;
const float base = $bias + $alpha * (float)(squares / $count);
*y++ = x[$place] * (float)ar_power((double)base, (double)$beta);

// template: layer_norm
for (int32_t i = 0; i < $rows; ++i, x += $inner, y += $inner) {
  double mean = 0, squares = 0;
  $mean;
  // clang-format off
  for (int32_t j = 0; j < $inner; ++j)
    squares += ((double)x[j] - mean) * ((double)x[j] - mean);
  // clang-format on
  const double root = ar_root_double(squares / $inner + (double)$epsilon);
  // clang-format off
  for (int32_t j = 0; j < $inner; ++j)
    y[j] = (float)(((double)x[j] - mean) / root$factor$$bias);
  // clang-format on
}
