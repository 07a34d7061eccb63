// template: reverse
int32_t turned[$rank] = {0};
for (int32_t a = 0; a < $count; ++a) {
  const int32_t axis = axes[a] < 0 ? axes[a] + $rank : axes[a];
  if (axis >= 0 && axis < $rank) turned[axis] = 1;
}
$loops;

// template: blocks
const int32_t rows = $rows, columns = $columns, top = $top, left = $left;
for (int32_t b = 0; b < $batches; ++b) {
  for (int32_t i = 0; i < $height; ++i) {
    for (int32_t j = 0; j < $width; ++j) {
      $place;
      // clang-format off
      const int inside = n >= 0 && n < $in_batches && row >= 0 && row < $in_height &&
                         column >= 0 && column < $in_width;
      // clang-format on
      for (int32_t c = 0; c < $depth; ++c)
        *y++ = inside ? x[((n * $in_height + row) * $in_width + column) * $depth + c] : 0;
    }
  }
}
