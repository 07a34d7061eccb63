// template: detection
// clang-format off
const ar_detection d = {$boxes, $classes, $stride, $most, $score, $overlap, predictions + $first,
                        corners, values, order, merged, kept, selected, found, best};
// clang-format on
static const double scales[4] = {$scales};
int32_t count = 0;
if (ar_decode_boxes(&d, encodings, $step, anchors, scales)) count = $detect;
for (int32_t i = 0; i < $boxes_size; ++i) places[i] = 0.0f;
for (int32_t i = 0; i < $classes_size; ++i) classes[i] = 0.0f;
for (int32_t i = 0; i < $scores_size; ++i) scores[i] = 0.0f;
for (int32_t i = 0; i < $count_size; ++i) number[i] = 0.0f;
for (int32_t i = 0; i < count; ++i) {
  const int32_t box = found[i] / $classes, kind = found[i] % $classes;
  const int32_t at = $columns * i + i % $columns;
  for (int32_t k = 0; k < 4; ++k) places[4 * at + k] = corners[4 * box + k];
  classes[at] = (float)kind;
  scores[at] = predictions[box * $stride + kind + $first];
}
number[0] = (float)count;
