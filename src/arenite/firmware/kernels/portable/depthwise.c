// template: depthwise
for (int32_t b = 0; b < $images; ++b) {
  $inside;
  $around;
  x += $image;
  y += $out_image;
}

// template: inside
/* Windows that lie in the image, channel by channel: its weights stay in registers. */
for (int32_t n = 0; n < $filters; ++n) {
  $weights;
  $start;
  for (int32_t oy = $first_y; oy < $end_y; ++oy) {
    const $element *pixel = x + ($in_w * ($row_top) + $first_left) * $in_c + $channel;
    $output *out = y + (oy * $out_w + $first_x) * $filters + n;
    for (int32_t ox = $first_x; ox < $end_x; ++ox) {
      $total sum = start;
      $products;
      $store;
      pixel += $across;
      out += $filters;
    }
  }
}

// template: around
/* Of the others what lies in the image, several channels at a time. */
$all;

// template: all
for (int32_t oy = 0; oy < $out_h; ++oy) {
  const int32_t top = $row_top;
  $rows_inside;
  for (int32_t ox = 0; ox < $out_w; ++ox) {
    $at;
  }
}

// template: some
if (oy < $first_y || oy >= $end_y || ox < $first_x || ox >= $end_x) {
  $at;
}

// template: at
const int32_t left = $column_left;
$columns_inside;
$output *out = y + (oy * $out_w + ox) * $filters;
$tiles;

// template: taps
$starts;
for (int32_t ky = $first_row; ky < $end_row; ++ky) {
  for (int32_t kx = $first_column; kx < $end_column; ++kx) {
    const $element *pixel = x + ($in_w * ($row) + $column) * $in_c;
    const int32_t w = (ky * $kernel_w + kx) * $filters + n;
    $products;
  }
}
$stores;
