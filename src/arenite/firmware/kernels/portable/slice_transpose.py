"""Operators that take elements from elsewhere: TRANSPOSE, SLICE, STRIDED_SLICE, SPLIT.

Of all types. Facts: TFLM ``reference/transpose.h``, ``slice.h``,
``strided_slice.h``, ``micro/kernels/split.cc`` and ``split_v.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from arenite.c_text import fill
from arenite.firmware.kernels.portable.dynamic_index_maps import box
from arenite.firmware.kernels.portable.elements import reads, writes
from arenite.firmware.kernels.portable.elementwise_loop import argument
from arenite.firmware.kernels.portable.loops import axis_names, nested, strides_of
from arenite.firmware.kernels.portable.needs import constant_of, require_some
from arenite.firmware.kernels.portable.reshape_pad_concat import as_bytes
from arenite.firmware.network.kernel import Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.shared.copy import Interleaving
from arenite.ops.tflite.strided_slice import StridedSliceParams
from arenite.ops.tflite.transpose import TransposeParams

_SPLIT = """\
for (int32_t i = 0; i < $outer; ++i) {
$parts
}"""
_PART = "  for (int32_t j = 0; j < $block; ++j) *y$number++ = *x++;"


def transpose(layer: Layer[TransposeParams]) -> Work:
    """Axes in another order."""
    p, steps = layer.params, strides_of(layer.input(0).shape)
    return _pick(layer, p.output_shape, [steps[axis] for axis in p.perm], 0)


def slice_(layer: AnyLayer) -> Work:
    """A box of the input."""
    if not layer.input(1).is_constant:
        return box(layer)
    begin = constant_of(layer.input(1), "beginning").reshape(-1).tolist()
    steps = strides_of(layer.input(0).shape)
    start = sum(a * b for a, b in zip(begin, steps, strict=False))
    return _pick(layer, layer.output.shape, steps, start)


def strided_slice(layer: Layer[StridedSliceParams]) -> Work:
    """Every so many elements of every axis."""
    p, steps = layer.params, strides_of(layer.input(0).shape)
    start = sum(a * b for a, b in zip(p.start, steps, strict=True))
    return _pick(layer, p.size, [a * b for a, b in zip(steps, p.stride, strict=True)], start)


def split(layer: Layer[Interleaving], whole: int = 1) -> Work:
    """The blocks of an axis go to the outputs in turn; ``whole`` is the number of the input."""
    require_some(layer.input(whole))
    x, outer = layer.input(whole), layer.params.outer_size
    blocks = [value.nbytes // outer for value in layer.outputs]
    if sum(blocks) * outer != x.nbytes:
        raise UnsupportedError("expected outputs that make up the input")
    parts = [fill(_PART, block=block, number=number) for number, block in enumerate(blocks)]
    text = fill(_SPLIT, outer=outer, parts="\n".join(f"  {part}" for part in parts))
    parameters = ("const int8_t *x", *(f"int8_t *y{number}" for number in range(len(blocks))))
    routine = Routine("split", parameters, text, about=str(layer))
    return Work(routine, (as_bytes(x), *layer.outputs))


def split_v(layer: Layer[Interleaving]) -> Work:
    """The same with sizes; the input comes first."""
    return split(layer, whole=0)


def _pick(layer: AnyLayer, shape: Sequence[int], steps: Sequence[int], start: int) -> Work:
    """Elements in the output's order, each from ``start`` plus its indices times ``steps``."""
    x = layer.input(0)
    require_some(x, layer.output)
    if prod(shape) != layer.output.size:
        raise UnsupportedError(f"expected {prod(shape)} elements, got {layer.output.size}")
    names = axis_names(len(shape))
    terms = [f"{axis} * {step}" for axis, step, n in zip(names, steps, shape, strict=True) if n > 1]
    place = " + ".join([str(start), *terms])
    text = nested(shape, f"*y++ = x[{place}];")
    parameters = reads(x, "x"), writes(layer.output, "y")
    routine = Routine(layer.name.lower(), parameters, text, about=str(layer))
    return Work(routine, (argument(x), layer.output))


KERNELS = {
    "TRANSPOSE": transpose,
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
    "SPLIT": split,
    "SPLIT_V": split_v,
}
