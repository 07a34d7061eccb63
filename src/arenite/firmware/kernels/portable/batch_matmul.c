// template: product
const int32_t left = $left, right = $right;
for (int32_t row = 0; row < $rows; ++row) {
  for (int32_t column = 0; column < $columns; ++column) {
    $total sum = 0;
    // clang-format off
    for (int32_t c = 0; c < $depth; ++c)
      $add;
    // clang-format on
    *y++ = $result;
  }
}
