// template: rows
for (int32_t i = 0; i < $rows; ++i, x += $depth, y += $filters) {
  part_row(x, stream, row, y);
}
