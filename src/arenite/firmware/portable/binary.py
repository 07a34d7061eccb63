"""ADD, SUB, MUL, MAXIMUM and MINIMUM of int8, with broadcasting.

Facts: TFLM ``reference/maximum_minimum.h``, ``reference/sub.h``, ``reference/integer_ops/add.h``
and ``mul.h``.
"""

from __future__ import annotations

from collections.abc import Mapping

from arenite.firmware.layers import Layer, Value
from arenite.firmware.portable.loops import broadcast_strides, nested, offset, strides_of
from arenite.firmware.portable.needs import require_elements, require_types
from arenite.firmware.text import fill
from arenite.firmware.work import Argument, Constant, Routine, Work
from arenite.model import TensorType

_PARAMETERS = ("const int8_t *a", "const int8_t *b", "int8_t *y")

_ADD = """\
const int32_t first = ar_rescale(ar_wrap((uint32_t)(a[$a] + $offset1) << $left),
                                 $multiplier1, $shift1);
const int32_t second = ar_rescale(ar_wrap((uint32_t)(b[$b] + $offset2) << $left),
                                  $multiplier2, $shift2);
const int32_t sum = ar_wrap((uint32_t)first $sign (uint32_t)second);
const int32_t scaled = ar_rescale(sum, $multiplier, $shift);
y[$y] = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);"""

_MUL = """\
const int32_t product = (a[$a] + $offset1) * (b[$b] + $offset2);
const int32_t scaled = ar_rescale(product, $multiplier, $shift);
y[$y] = (int8_t)ar_clamp_offset(scaled, $output_offset, $low, $high);"""

_SELECT = "y[$y] = a[$a] $sign b[$b] ? a[$a] : b[$b];"


def add_sub(layer: Layer) -> Work:
    """Both inputs on a common scale, added or subtracted."""
    p = layer.params
    more = {
        "left": p.left_shift,
        "multiplier1": p.input1_multiplier,
        "shift1": p.input1_shift,
        "multiplier2": p.input2_multiplier,
        "shift2": p.input2_shift,
        "sign": "+" if p.sign > 0 else "-",
    }
    return _work(layer, "add" if p.sign > 0 else "sub", _ADD, **more)


def mul(layer: Layer) -> Work:
    """The product of both inputs without their zero points, rescaled."""
    return _work(layer, "mul", _MUL)


def selection(layer: Layer) -> Work:
    """The larger or smaller of two inputs, compared as they are."""
    sign = ">" if layer.name == "MAXIMUM" else "<"
    return _elementwise(layer, layer.name.lower(), _SELECT, {"sign": sign})


def argument(value: Value) -> Argument:
    """A tensor as it is passed: a constant one lies in flash."""
    return value if value.data is None else Constant("values", value.data)


def _work(layer: Layer, stem: str, body: str, **more: int | str) -> Work:
    p = layer.params
    values = {
        "offset1": p.input1_offset,
        "offset2": p.input2_offset,
        "multiplier": p.output_multiplier,
        "shift": p.output_shift,
        "output_offset": p.output_offset,
        "low": int(p.activation_min),
        "high": int(p.activation_max),
    }
    return _elementwise(layer, stem, body, values | more)


def _elementwise(layer: Layer, stem: str, body: str, values: Mapping[str, int | str]) -> Work:
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    shape = _flat_where_equal(layer)
    a, b = ([shape[0]] if len(shape) == 1 else layer.input(i).shape for i in (0, 1))
    text = fill(
        body,
        a=offset(broadcast_strides(a, shape)),
        b=offset(broadcast_strides(b, shape)),
        y=offset(strides_of(shape)),
        **values,
    )
    # Where both inputs have the output's elements, each is read before it is written over.
    same = tuple(i for i in (0, 1) if layer.input(i).size == layer.output.size)
    return Work(
        Routine(stem, _PARAMETERS, nested(shape, text), about=str(layer)),
        (argument(layer.input(0)), argument(layer.input(1)), layer.output),
        in_place=same,
    )


def _flat_where_equal(layer: Layer) -> tuple[int, ...]:
    """The output's shape, as one axis where nothing is broadcast."""
    sizes = {layer.input(0).size, layer.input(1).size, layer.output.size}
    return (layer.output.size,) if len(sizes) == 1 else layer.output.shape


KERNELS = {"ADD": add_sub, "SUB": add_sub, "MUL": mul, "MAXIMUM": selection, "MINIMUM": selection}
