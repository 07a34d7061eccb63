"""Operators that take elements from elsewhere: TRANSPOSE, SLICE, STRIDED_SLICE, SPLIT.

Of all types. Facts: TFLM ``reference/transpose.h``, ``slice.h``,
``strided_slice.h``, ``micro/kernels/split.cc`` and ``split_v.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from arenite.firmware.kernels.portable.dynamic_index_maps import box
from arenite.firmware.kernels.portable.loops import strides_of
from arenite.firmware.kernels.portable.moving import Write, in_c, moved
from arenite.firmware.kernels.portable.needs import constant_of, require_some
from arenite.firmware.kernels.portable.reshape_pad_concat import (
    box_of,
    taken_apart,
    whole_bytes,
)
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.shared.copy import Interleaving
from arenite.ops.tflite.strided_slice import StridedSliceParams
from arenite.ops.tflite.transpose import TransposeParams


def transpose(layer: Layer[TransposeParams], write: Write = in_c) -> Work:
    """Axes in another order."""
    p, steps = layer.params, strides_of(layer.input(0).shape)
    return _pick(layer, p.output_shape, [steps[axis] for axis in p.perm], 0, write)


def slice_(layer: AnyLayer, write: Write = in_c) -> Work:
    """A box of the input."""
    if not layer.input(1).is_constant:
        return box(layer)
    begin = constant_of(layer.input(1), "beginning").reshape(-1).tolist()
    steps = strides_of(layer.input(0).shape)
    start = sum(a * b for a, b in zip(begin, steps, strict=False))
    return _pick(layer, layer.output.shape, steps, start, write)


def strided_slice(layer: Layer[StridedSliceParams], write: Write = in_c) -> Work:
    """Every so many elements of every axis."""
    p, steps = layer.params, strides_of(layer.input(0).shape)
    start = sum(a * b for a, b in zip(p.start, steps, strict=True))
    steps = [a * b for a, b in zip(steps, p.stride, strict=True)]
    return _pick(layer, p.size, steps, start, write)


def split(layer: Layer[Interleaving], write: Write = in_c, whole: int = 1) -> Work:
    """The blocks of an axis go to the outputs in turn; ``whole`` is the number of the input."""
    require_some(layer.input(whole))
    x, outer = whole_bytes(layer.input(whole)), layer.params.outer_size
    if sum(value.nbytes // outer for value in layer.outputs) * outer != x.nbytes:
        raise UnsupportedError("expected outputs that make up the input")
    return moved(layer, taken_apart(x, layer.outputs, outer), write)


def split_v(layer: Layer[Interleaving], write: Write = in_c) -> Work:
    """The same with sizes; the input comes first."""
    return split(layer, write, whole=0)


def _pick(
    layer: AnyLayer, shape: Sequence[int], steps: Sequence[int], start: int, write: Write
) -> Work:
    """Elements in the output's order, each from ``start`` plus its indices times ``steps``."""
    x, y = layer.input(0), layer.output
    require_some(x, y)
    if prod(shape) != y.size:
        raise UnsupportedError(f"expected {prod(shape)} elements, got {y.size}")
    axes = list(zip(shape, steps, strides_of(shape), strict=True))
    return moved(layer, [box_of(x, y, axes, start)], write)


MOVERS: dict[str, Callable[..., Work]] = {
    "TRANSPOSE": transpose,
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "SPLIT": split,
    "SPLIT_V": split_v,
}
KERNELS = MOVERS
