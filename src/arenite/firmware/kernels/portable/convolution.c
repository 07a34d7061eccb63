// template: rows
/* Every input of a row is read once for several filters. */
for (int32_t row = 0; row < $rows; ++row) {
  $tiles;
  x += $depth;
  y += $filters;
}

// template: row
$starts;
const int32_t w = n * $depth;
for (int32_t c = 0; c < $depth; c += $step) {
  $products;
}
$stores;

// template: windows
/* Of every window what lies in the image. */
for (int32_t b = 0; b < $images; ++b) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    const int32_t top = $row_top;
    $rows_inside;
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      const int32_t left = $column_left;
      $columns_inside;
      $tiles;
      y += $filters;
    }
  }
  x += $image;
}

// template: runs
$starts;
/* A row of a window is one run of numbers. */
const int32_t first = left + $first_column, run = $run;
for (int32_t ky = $first_row; ky < $end_row; ++ky) {
  const $element *pixel = x + ($in_w * ($row) + first) * $depth;
  const int32_t w = ((n * $kernel_h + ky) * $kernel_w + $first_column) * $depth;
  for (int32_t c = 0; c < run; c += $step) {
    $products;
  }
}
$stores;

// template: pixels
$starts;
for (int32_t ky = $first_row; ky < $end_row; ++ky) {
  for (int32_t kx = $first_column; kx < $end_column; ++kx) {
    const $element *pixel = x + ($in_w * ($row) + $column) * $in_c + n / $own * $depth;
    const int32_t w = ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
    for (int32_t c = 0; c < $depth; c += $step) {
      $products;
    }
  }
}
$stores;

// template: transposed
/* An output position takes from the input those pixels whose filters reach it. */
for (int32_t b = 0; b < $images; ++b) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      $tiles;
      y += $filters;
    }
  }
  x += $image;
}

// template: reaching
$starts;
for (int32_t ky = (oy + $top) % $stride_h; ky < $kernel_h; ky += $stride_h) {
  const int32_t down = oy + $top - ky, iy = down / $stride_h;
  if (down < 0 || iy >= $in_h) continue;
  for (int32_t kx = (ox + $left) % $stride_w; kx < $kernel_w; kx += $stride_w) {
    const int32_t right = ox + $left - kx, ix = right / $stride_w;
    if (right < 0 || ix >= $in_w) continue;
    const $element *pixel = x + (iy * $in_w + ix) * $depth;
    const int32_t w = ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
    for (int32_t c = 0; c < $depth; c += $step) {
      $products;
    }
  }
}
$stores;
