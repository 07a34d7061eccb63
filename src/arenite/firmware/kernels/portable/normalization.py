"""L2_NORMALIZATION, LOG_SOFTMAX and L2_POOL_2D.

Facts: TFLM ``reference/l2normalization.h``, ``reference/integer_ops/l2normalization.h``,
``reference/log_softmax.h``, ``reference/pooling.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.firmware.c_text import fill, float_literal
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.plan.kernel import Constant, Routine, Work
from arenite.firmware.plan.layers import Layer
from arenite.model import TensorType

_ROWS = """\
for (int32_t row = 0; row < $rows; ++row, x += $depth, y += $depth) {
$body
}"""

_L2_FLOAT = """\
  float squares = 0.0f;
  for (int32_t i = 0; i < $depth; ++i) squares += x[i] * x[i];
  const float root = ar_root(squares), norm = root < 1e-6f ? 1e-6f : root;
  for (int32_t i = 0; i < $depth; ++i) y[i] = x[i] / norm;"""

_L2_INT8 = """\
  int32_t squares = 0, shift;
  for (int32_t i = 0; i < $depth; ++i)
    squares = ar_add(squares, ar_multiply(x[i] - $zero, x[i] - $zero));
  const int32_t multiplier = ar_inverse_sqrt(squares, &shift);
  for (int32_t i = 0; i < $depth; ++i)
    y[i] = (int8_t)ar_clamp(ar_rescale(x[i] - $zero, multiplier, shift + 7), -128, 127);"""

_LOG_SOFTMAX_FLOAT = """\
  float largest = x[0], sum = 0.0f;
  for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int32_t i = 0; i < $depth; ++i) sum += ar_exp(x[i] - largest);
  const float log_sum = ar_log(sum);
  for (int32_t i = 0; i < $depth; ++i) y[i] = x[i] - largest - log_sum;"""

_LOG_SOFTMAX_INT8 = """\
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
  }"""

_L2_POOL = """\
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      const int32_t top = oy * $stride_h - $top, left = ox * $stride_w - $left;
      const int32_t y0 = top < 0 ? 0 : top, x0 = left < 0 ? 0 : left;
      const int32_t y1 = top + $kernel_h < $in_h ? top + $kernel_h : $in_h;
      const int32_t x1 = left + $kernel_w < $in_w ? left + $kernel_w : $in_w;
      for (int32_t c = 0; c < $channels; ++c) {
        float sum = 0.0f;
        for (int32_t iy = y0; iy < y1; ++iy) {
          for (int32_t ix = x0; ix < x1; ++ix) {
            const float element = x[(iy * $in_w + ix) * $channels + c];
            sum += element * element;
          }
        }
        const float value = ar_root(sum / (float)((y1 - y0) * (x1 - x0)));
        *y++ = value < $low ? $low : value > $high ? $high : value;
      }
    }
  }
}"""


def l2_normalization(layer: Layer) -> Work:
    """Rows divided by their norms."""
    p = layer.params
    if layer.input(0).type is TensorType.FLOAT32:
        return _rows(layer, _L2_FLOAT)
    return _rows(layer, _L2_INT8, zero=p.input_zero_point)


def log_softmax(layer: Layer) -> Work:
    """Logarithms of the shares that exponentials have of their sum."""
    p = layer.params
    if p is None:
        return _rows(layer, _LOG_SOFTMAX_FLOAT)
    return _rows(
        layer,
        _LOG_SOFTMAX_INT8,
        Constant("table", np.asarray(p.exp_table, np.int32)),
        least=p.diff_min - 1,
        reverse_multiplier=p.reverse_multiplier,
        reverse_shift=p.reverse_shift,
        multiplier=p.input_multiplier,
        shift=p.input_left_shift,
    )


def _rows(layer: Layer, body: str, *tables: Constant, **values: int) -> Work:
    require_elements(layer)
    x, kind = layer.input(0), c_type(layer.input(0))
    depth = x.shape[-1]
    text = fill(_ROWS.replace("$body", body), rows=x.size // depth, depth=depth, **values).replace(
        "- -", "+ "
    )
    parameters = (f"const {kind} *x", *("const int32_t *table" for _ in tables), f"{kind} *y")
    routine = Routine(layer.name.lower(), parameters, text, about=str(layer))
    return Work(routine, (argument(x), *tables, layer.output), in_place=(0,))


def l2_pool_2d(layer: Layer) -> Work:
    """Roots of means of squares."""
    require_elements(layer)
    window, (images, height, width, channels) = layer.params.window, layer.input(0).shape
    text = fill(
        _L2_POOL,
        images=images,
        image=height * width * channels,
        in_h=height,
        in_w=width,
        channels=channels,
        out_h=window.output_size[0],
        out_w=window.output_size[1],
        kernel_h=window.filter_size[0],
        kernel_w=window.filter_size[1],
        stride_h=window.stride[0],
        stride_w=window.stride[1],
        top=window.padding[0],
        left=window.padding[1],
        low=float_literal(layer.params.activation_min),
        high=float_literal(layer.params.activation_max),
    )
    routine = Routine("l2_pool_2d", ("const float *x", "float *y"), text, about=str(layer))
    return Work(routine, (argument(layer.input(0)), layer.output))


KERNELS = {
    "L2_NORMALIZATION": l2_normalization,
    "LOG_SOFTMAX": log_softmax,
    "L2_POOL_2D": l2_pool_2d,
}
