"""SOFTMAX: of int8 by a table of exponentials, of int16 by two tables that are interpolated.

Facts: TFLM ``reference/softmax.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Arrays, Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.tflite.softmax import SoftmaxParams

_C = templates(__name__)

#: Rows of int8 up to here: the sum of so many exponentials, at most 2**19 each, does not wrap. What
#: longer ones come to, which the engine refuses where it is no number of 31 bits or no shift,
#: counts as the nearest that can be done.
_MOST_INT8 = 4095
_BOUNDED_INT8 = "sum = sum ? sum : 1;"
#: Of int16, at most 2**15 each.
_MOST_INT16 = 65535
_BOUNDED_INT16 = "sum = sum > INT32_MAX - y[i] ? INT32_MAX : sum + y[i];"


def softmax(layer: Layer[SoftmaxParams]) -> Work:
    """Along the last axis, row by row."""
    require_elements(layer)
    x, y, p = layer.input(0), layer.output, layer.params
    if is_float(x):
        row = fill(_C["float"], depth=x.shape[-1], beta=float_literal(p.beta))
        return _work(layer, "float", row)
    if x.type is TensorType.INT8:
        return _of_int8(layer)
    most = 32768 if p.keeps_low_bits else 32767
    values: dict[str, int | str] = {"multiplier": p.input_multiplier, "most": most}
    values["shift"] = p.input_left_shift
    values["add"] = "sum += y[i];" if x.shape[-1] <= _MOST_INT16 else _BOUNDED_INT16
    tables = (
        Constant("exponentials", np.asarray(p.exp_table, np.int16)),
        Constant("reciprocals", np.asarray(p.reciprocal_table, np.int16)),
    )
    return _work(layer, "int32_t", fill(_C["int16"], depth=y.shape[-1], **values), *tables)


def _of_int8(layer: Layer[SoftmaxParams]) -> Work:
    """To int8 or int16."""
    y = layer.output
    info, is_long = np.iinfo(y.type.dtype), y.shape[-1] > _MOST_INT8
    distance = f"{12 + 31 - y.type.bits} - zeros"
    row = fill(
        _C["int8"],
        depth=y.shape[-1],
        element=c_type(y),
        bounded=_BOUNDED_INT8 if is_long else "",
        distance=f"ar_clamp({distance}, 0, 31)" if is_long else distance,
        low=info.min,
        high=info.max,
    )
    table = Constant("table", np.asarray(layer.params.exp_table, np.int32))
    return _work(layer, "int32_t", row, table)


def _work(layer: AnyLayer, largest: str, row: str, *tables: Constant) -> Work:
    x, y = layer.input(0), layer.output
    depth = x.shape[-1]
    text = fill(_C["rows"], rows=y.size // depth, depth=depth, largest_type=largest, row=row)
    read: Arrays = {"x": x, **{one.role: one for one in tables}}
    return work_of(layer, text, read, in_place=(0,) if x.type is y.type else ())


KERNELS = {"SOFTMAX": softmax}
