// template: stage
// All butterflies of a stage: `points` in each of their parts.
for (int32_t b = 0; b < $half; b += $radix * points) {
  for (int32_t u = 0; u < points; ++u) {
    ar_$name *p = z + b + u;
    const ar_$name v0 = $first;
    $turned;
    $join;
  }
}

// template: forward
for (int32_t row = 0; row < $rows; ++row, x += $read, y += $written) {
  for (int32_t i = 0; i < $half; ++i) {
    const int32_t at = 2 * order[i];
    z[i].re = $real;
    z[i].im = $imaginary;
  }
  $stages;
  const ar_$name first = $first;
  y[0] = ar_$name$_add(first.re, first.im);
  y[$length] = ar_$name$_subtract(first.re, first.im);
  y[1] = y[$length + 1] = 0;
  for (int32_t k = 1; k <= $half / 2; ++k) {
    const int32_t m = $half - k;
    const ar_$name near = $near;
    const ar_$name far = $far;
    const ar_$name even = ar_$name$_plus(near, far);
    const ar_$name odd = ar_$name$_times(ar_$name$_minus(near, far), turns[k - 1]);
    y[2 * k] = ar_$name$_half_sum(even.re, odd.re);
    y[2 * k + 1] = ar_$name$_half_sum(even.im, odd.im);
    y[2 * m] = ar_$name$_half_difference(even.re, odd.re);
    y[2 * m + 1] = ar_$name$_half_difference(odd.im, even.im);
  }
  for (int32_t i = $length + 2; i < $written; ++i) y[i] = 0;
}

// template: inverse
// `order` says where each number goes to.
for (int32_t row = 0; row < $rows; ++row, x += $read, y += $written) {
  const ar_$name ends = {ar_$name$_add(x[0], x[$length]), ar_$name$_subtract(x[0], x[$length])};
  z[order[0]] = $first;
  for (int32_t k = 1; k <= $half / 2; ++k) {
    const int32_t m = $half - k;
    const ar_$name one = {x[2 * k], x[2 * k + 1]}, other = {x[2 * m], x[2 * m + 1]};
    const ar_$name near = $near;
    const ar_$name far = $far;
    const ar_$name even = ar_$name$_plus(near, far);
    const ar_$name odd = ar_$name$_times(ar_$name$_minus(near, far), turns[k - 1]);
    z[order[k]] = ar_$name$_plus(even, odd);
    z[order[m]] = ar_$name$_conjugate(ar_$name$_minus(even, odd));
  }
  $stages;
  for (int32_t i = 0; i < $half; ++i) {
    y[2 * i] = z[i].re$over;
    y[2 * i + 1] = z[i].im$over;
  }
  for (int32_t i = $length; i < $written; ++i) y[i] = 0;
}

// template: join_2
p[0] = ar_$name$_plus(v0, v1);
p[points] = ar_$name$_minus(v0, v1);

// template: join_3
const $type root = twiddles[$half / 3].im;
const ar_$name total = ar_$name$_plus(v1, v2), between = ar_$name$_minus(v1, v2);
const ar_$name halves = {ar_$name$_half(total.re), ar_$name$_half(total.im)};
const ar_$name centre = ar_$name$_minus(v0, halves);
const ar_$name across = ar_$name$_scaled(between, root);
const ar_$name side = {ar_$name$_subtract(0, across.im), across.re};
p[0] = ar_$name$_plus(v0, total);
p[points] = ar_$name$_plus(centre, side);
p[2 * points] = ar_$name$_minus(centre, side);

// template: join_4
const ar_$name total = ar_$name$_plus(v0, v2), difference = ar_$name$_minus(v0, v2);
const ar_$name sides = ar_$name$_plus(v1, v3), between = ar_$name$_minus(v1, v3);
const ar_$name quarter = {between.im, ar_$name$_subtract(0, between.re)};
p[0] = ar_$name$_plus(total, sides);
p[$ahead * points] = ar_$name$_plus(difference, quarter);
p[2 * points] = ar_$name$_minus(total, sides);
p[$behind * points] = ar_$name$_minus(difference, quarter);

// template: join_5
const ar_$name r = twiddles[$half / 5], s = twiddles[2 * $half / 5];
const ar_$name outer = ar_$name$_plus(v1, v4), inner = ar_$name$_plus(v2, v3);
const ar_$name outer_gap = ar_$name$_minus(v1, v4), inner_gap = ar_$name$_minus(v2, v3);
// clang-format off
const ar_$name near = ar_$name$_plus(
    ar_$name$_plus(v0, ar_$name$_scaled(outer, r.re)), ar_$name$_scaled(inner, s.re));
const ar_$name far = ar_$name$_plus(
    ar_$name$_plus(v0, ar_$name$_scaled(outer, s.re)), ar_$name$_scaled(inner, r.re));
const ar_$name near_across = ar_$name$_plus(
    ar_$name$_scaled(outer_gap, r.im), ar_$name$_scaled(inner_gap, s.im));
const ar_$name far_across = ar_$name$_minus(
    ar_$name$_scaled(inner_gap, r.im), ar_$name$_scaled(outer_gap, s.im));
// clang-format on
const ar_$name near_side = {near_across.im, ar_$name$_subtract(0, near_across.re)};
const ar_$name far_side = {far_across.im, ar_$name$_subtract(0, far_across.re)};
p[0] = ar_$name$_plus(v0, ar_$name$_plus(outer, inner));
p[points] = ar_$name$_minus(near, near_side);
p[2 * points] = ar_$name$_plus(far, far_side);
p[3 * points] = ar_$name$_minus(far, far_side);
p[4 * points] = ar_$name$_plus(near, near_side);
