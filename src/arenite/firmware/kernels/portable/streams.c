// template: delay
for (int32_t row = 0; row < $rows; ++row, x += $size, y += $size, line += $late) {
  for (int32_t i = 0; i < $size; ++i) y[i] = i < $late ? line[i] : x[i - $late];
  for (int32_t i = 0; i < $late; ++i)
    line[i] = i + $size < $late ? line[i + $size] : x[i + $size - $late];
}

// template: framer
// Samples wait behind a row's counter, of which there are `$first` at the beginning.
uint8_t are_there = 1;
for (int32_t row = 0; row < $rows; ++row, more += 1, waiting += $most) {
  for (int32_t frame = 0; frame < $frames; ++frame, x += $step, y += $size) {
    int32_t count = *more + $first;
    if (count + $step < $size) {
      for (int32_t i = 0; i < $step; ++i) waiting[count + i] = x[i];
      for (int32_t i = 0; i < $size; ++i) y[i] = 0;
      *more += $step;
      are_there = 0;
      continue;
    }
    for (int32_t i = 0; i < $size; ++i) y[i] = i < count ? waiting[i] : x[i - count];
    for (int32_t i = 0; i < count; ++i)
      waiting[i] = i + $step < count ? waiting[i + $step] : x[i + $step - count];
  }
}
*valid = are_there;

// template: overlap_add
for (int32_t row = 0; row < $rows; ++row, sum += $size) {
  for (int32_t frame = 0; frame < $frames; ++frame, x += $size, y += $step) {
    for (int32_t i = 0; i < $size; ++i) sum[i] = $total;
    for (int32_t i = 0; i < $step; ++i) y[i] = sum[i];
    for (int32_t i = 0; i < $size; ++i) sum[i] = i + $step < $size ? sum[i + $step] : 0;
  }
}

// template: stacker
int32_t count = counters[0];
for (int32_t copies = counters[1] ? 1 : $copies; copies > 0; --copies, count += $channels)
  for (int32_t i = 0; i < $channels; ++i) waiting[count + i] = x[i];
const int is_there = count >= $size;
for (int32_t i = 0; i < $size; ++i) y[i] = is_there ? waiting[i] : 0;
if (is_there) {
  count -= $step;
  for (int32_t i = 0; i < count; ++i) waiting[i] = waiting[i + $step];
}
counters[0] = count;
counters[1] = 1;
*valid = is_there ? 1 : 0;

// template: subtraction
for (int32_t i = 0; i < $channels; ++i) {
  const uint32_t signal = x[i], scaled = signal << $up;
  const uint64_t fresh = (uint64_t)scaled * (i & 1 ? $odd : $even);
  const uint64_t known = (uint64_t)kept[i] * (i & 1 ? $odd_rest : $even_rest);
  const uint32_t estimate = (uint32_t)((fresh + known) >> $down);
  const uint32_t taken = estimate < scaled ? estimate : scaled;
  const uint32_t left = (scaled - taken) >> $up;
  const uint32_t least = (uint32_t)(((uint64_t)signal * $remaining) >> $down);
  kept[i] = noise[i] = $next;
  y[i] = left > least ? left : least;
}
