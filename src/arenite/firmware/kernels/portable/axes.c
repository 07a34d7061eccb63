// template: fed
int32_t gone[$rank] = {0};
for (int32_t a = 0; a < $count; ++a) {
  const int32_t axis = axes[a] < 0 ? axes[a] + $rank : axes[a];
  if (axis >= 0 && axis < $rank) gone[axis] = 1;
}
$sizes;
if ($kept != $size) {
  for (int32_t at = 0; at < $size; ++at) y[at] = 0;
  return;
}
$loops;
