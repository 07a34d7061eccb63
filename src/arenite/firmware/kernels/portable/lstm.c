// template: sequence
for (int32_t b = 0; b < $batches; ++b) {
  const $element *last = hidden + b * $units;
  for (int32_t t = 0; t < $steps; ++t) {
    const $element *now = x + $place * $inputs;
    $element *out = y + $place * $units;
    for (int32_t u = 0; u < $units; ++u) {
      $gates;
      $update;
    }
    last = out;
  }
  for (int32_t u = 0; u < $units; ++u) hidden[b * $units + u] = last[u];
}

// template: gate
$total $gate$_now = $start, $gate$_last = 0;
// clang-format off
for (int32_t i = 0; i < $inputs; ++i)
  $add_input;
for (int32_t i = 0; i < $units; ++i)
  $add_hidden;
// clang-format on

// template: integer_update
int32_t state = $forget_times_cell;
state = ar_clamp(state + $input_times_cell, $low, $high);
cell[b * $units + u] = (int16_t)state;
const int32_t squashed = ar_tanh_int16(table, ar_sigmoid_input(state, $multiplier, $shift));
out[u] = ($element)$tanh_times_output;

// template: float_update
float state = ar_finite(opened_forget * cell[b * $units + u]);
state += ar_finite(opened_input * opened_update);
$clip;
cell[b * $units + u] = state;
out[u] = ar_finite(ar_tanh(state) * opened_output);
