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
