"""RESIZE_BILINEAR: images of another size, with the places and weights in tables.

Facts: TFLM ``reference/resize_bilinear.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Arrays, Constant, Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.tflite.resize_bilinear import Interpolation, ResizeBilinearParams

_C = templates(__name__)

_INTEGERS = """\
const int32_t near = above[left + c] * (1024 - down) + below[left + c] * down;
const int32_t far = above[other + c] * (1024 - down) + below[other + c] * down;
*y++ = ($type)ar_divide_by_power(near * (1024 - right) + far * right, 20);"""


def resize_bilinear(layer: Layer[ResizeBilinearParams]) -> Work:
    """Between the four pixels around."""
    require_elements(layer)
    p, x, kind = layer.params, layer.input(0), c_type(layer.input(0))
    images, height, width, channels = x.shape
    is_float = x.type is TensorType.FLOAT32
    weight = "float" if is_float else "int32_t"
    text = fill(
        with_lines(_C["resize"], mix=_C["floats"] if is_float else _INTEGERS),
        images=images,
        image=height * width * channels,
        type=kind,
        weight=weight,
        out_h=layer.output.shape[1],
        out_w=layer.output.shape[2],
        channels=channels,
    )
    read: Arrays = {
        "x": x,
        "rows": _places(p.rows, width * channels),
        "columns": _places(p.columns, channels),
        "down_by": _weights(p.rows, is_float=is_float),
        "right_by": _weights(p.columns, is_float=is_float),
    }
    return work_of(layer, text, read)


def _places(axis: Interpolation, step: int) -> Constant:
    """Offsets of both pixels of every position."""
    pairs = np.stack([axis.lower, axis.upper], 1)
    return Constant("offsets", (pairs * step).astype(np.int32).reshape(-1))


def _weights(axis: Interpolation, *, is_float: bool) -> Constant:
    found = axis.float_fraction if is_float else axis.fraction
    return Constant("weights", np.asarray(found, np.float32 if is_float else np.int32))


KERNELS = {"RESIZE_BILINEAR": resize_bilinear}
