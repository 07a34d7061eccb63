"""L2_NORMALIZATION and LOG_SOFTMAX.

Facts: TFLM ``reference/l2normalization.h``, ``reference/integer_ops/l2normalization.h``,
``reference/log_softmax.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.tflite.l2_normalization import L2NormParams
from arenite.ops.tflite.log_softmax import LogSoftmaxParams

_ROWS = """\
for (int32_t row = 0; row < $rows; ++row, x += $depth, y += $depth) {
  $body;
}"""

_C = templates(__name__)


def l2_normalization(layer: Layer[L2NormParams]) -> Work:
    """Rows divided by their norms."""
    p = layer.params
    if layer.input(0).type is TensorType.FLOAT32:
        return _rows(layer, _C["l2_float"])
    return _rows(layer, _C["l2_int8"], zero=p.input_zero_point)


def log_softmax(layer: Layer[LogSoftmaxParams | None]) -> Work:
    """Logarithms of the shares that exponentials have of their sum."""
    p = layer.params
    if p is None:
        return _rows(layer, _C["log_softmax_float"])
    return _rows(
        layer,
        _C["log_softmax_int8"],
        Constant("table", np.asarray(p.exp_table, np.int32)),
        least=p.diff_min - 1,
        reverse_multiplier=p.reverse_multiplier,
        reverse_shift=p.reverse_shift,
        multiplier=p.input_multiplier,
        shift=p.input_left_shift,
    )


def _rows(layer: AnyLayer, body: str, *tables: Constant, **values: int) -> Work:
    require_elements(layer)
    x = layer.input(0)
    depth = x.shape[-1]
    text = fill(with_lines(_ROWS, body=body), rows=x.size // depth, depth=depth, **values).replace(
        "- -", "+ "
    )
    return work_of(layer, text, {"x": x, **{one.role: one for one in tables}}, in_place=(0,))


KERNELS = {
    "L2_NORMALIZATION": l2_normalization,
    "LOG_SOFTMAX": log_softmax,
}
