"""PAD in front of a convolution that becomes the convolution's own padding.

Along each axis a window meets element ``position * stride + tap * dilation - before``. Behind a
PAD, ``before`` is the PAD's and the window's own together. Without it SAME or VALID give a number
of positions and a ``before`` of their own. Where both agree on both axes, every tap meets the same
element or stands beside the image. There a convolution takes the input's zero point, which
contributes nothing; a PAD of zero points (of zeros, for floats with finite weights) is the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from arenite.model import Operator, Tensor, TensorType
from arenite.ops.kernel_util import Padding, window_output_size, window_padding
from arenite.optimize.passes._result import Changed, Declined, Result
from arenite.optimize.rewrite import Edit, same_kind

#: Convolutions, and the axes of their weights that are rows and columns.
CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
_SCHEMES = (Padding.SAME, Padding.VALID)


class Axis(NamedTuple):
    """A window along one axis: taps, stride, dilation."""

    taps: int
    stride: int
    dilation: int

    def placed(self, scheme: int, size: int) -> tuple[int, int]:
        """The number of positions on ``size`` elements, and of those before them."""
        count = window_output_size(scheme, size, self.taps, self.stride, self.dilation)
        return count, window_padding(self.stride, self.dilation, size, self.taps, count)


def fuse_padding(edit: Edit, position: int) -> Result:
    """Fuse a PAD with all convolutions that read it."""
    pad = edit.operator(position)
    if pad.name not in ("PAD", "PADV2") or pad.is_custom or len(pad.outputs) != 1:
        return None
    padded = pad.outputs[0]
    readers = edit.readers(padded)
    layers = [edit.operator(reader) for reader in readers]
    if not any(layer.name in CONVOLUTIONS for layer in layers):
        return None
    reason = _why_not(edit, pad, layers)
    if reason:
        return Declined(f"{pad.name} stays: {reason}")
    pairs = _pairs(edit, pad)
    assert pairs is not None
    schemes = [_scheme(edit, pad, layer, pairs) for layer in layers]
    if None in schemes:
        return Declined(
            f"{pad.name} stays: neither SAME nor VALID puts the windows of "
            f"{layers[schemes.index(None)].name} where {pairs[1]} and {pairs[2]} put them"
        )
    edit.put(position, None)
    for reader, layer, scheme in zip(readers, layers, schemes, strict=True):
        options: Any = layer.options
        inputs = (pad.inputs[0], *layer.inputs[1:])
        options = replace(options, padding=scheme)
        edit.put(reader, replace(layer, inputs=inputs, options=options))
    names = ", ".join(str(Padding(s).name) for s in dict.fromkeys(schemes) if s is not None)
    return Changed(
        f"{pad.name} became the padding {names} of {layers[0].name} at "
        f"{edit.place(readers[0])}: every tap meets the same element"
    )


def _why_not(edit: Edit, pad: Operator, layers: list[Operator]) -> str:
    x, y = edit.tensors[pad.inputs[0]], edit.tensors[pad.outputs[0]]
    if not edit.is_inner(pad.outputs[0]):
        return f"{y.name!r} is needed outside"
    others = [layer.name for layer in layers if layer.name not in CONVOLUTIONS or layer.is_custom]
    if others:
        return f"{others[0]} reads {y.name!r} as well"
    if any(layer.inputs.count(pad.outputs[0]) != 1 or layer.inputs[0] < 0 for layer in layers):
        return f"{y.name!r} is read otherwise than as an image"
    if any(layer.inputs[0] != pad.outputs[0] for layer in layers):
        return f"{y.name!r} is read otherwise than as an image"
    if x.is_variable or not same_kind(x, y):
        return "its input is a variable, or has another quantisation"
    pairs = _pairs(edit, pad)
    if pairs is None or len(x.shape) != 4:
        return "its paddings are not known"
    if pairs[0] != (0, 0) or pairs[3] != (0, 0) or min(min(pair) for pair in pairs) < 0:
        return "it pads images or channels, or by negative numbers"
    return _why_not_nothing(edit, pad, y, layers)


def _why_not_nothing(edit: Edit, pad: Operator, y: Tensor, layers: list[Operator]) -> str:
    """The reason why what is padded with is not what stands beside an image."""
    zero = 0
    if y.type in (TensorType.INT8, TensorType.INT16):
        q = y.quantization
        zero = int(q.zero_point[0]) if q is not None and len(q.zero_point) else 0
    elif y.type is not TensorType.FLOAT32:
        return f"convolutions of {y.type} are not known"
    if len(pad.inputs) > 2:
        value = edit.constant(pad, 2)
        if value is None or value.size != 1 or value.flat[0] != zero:
            return "it pads with another value than the zero point"
    elif y.type is TensorType.INT16 and zero:
        return "it pads with another value than the zero point"
    if y.type is TensorType.FLOAT32:
        weights = [edit.constant(layer, 1) for layer in layers]
        if not all(w is not None and np.isfinite(w).all() for w in weights):
            return "weights may be infinite, and zeros times them are no zeros"
    return ""


def _pairs(edit: Edit, pad: Operator) -> list[tuple[int, int]] | None:
    value = edit.constant(pad, 1)
    if value is None or value.size != 8:
        return None
    return [(int(a), int(b)) for a, b in value.reshape(4, 2)]


def _scheme(edit: Edit, pad: Operator, layer: Operator, pairs: list[tuple[int, int]]) -> int | None:
    """The padding that says the same without the PAD; None if none does."""
    options: Any = layer.options
    weights, x = edit.tensors[layer.inputs[1]], edit.tensors[pad.inputs[0]]
    if options is None or len(weights.shape) != 4 or options.padding not in (0, 1):
        return None
    rows = Axis(weights.shape[1], options.stride_h, options.dilation_h_factor)
    columns = Axis(weights.shape[2], options.stride_w, options.dilation_w_factor)
    if min(*rows, *columns) < 1:
        return None
    wanted = []
    for axis, size, (before, after) in zip((rows, columns), x.shape[1:3], pairs[1:3], strict=True):
        count, own = axis.placed(options.padding, before + size + after)
        wanted.append((count, own + before))
    for scheme in _SCHEMES:
        sizes = zip((rows, columns), x.shape[1:3], strict=True)
        if [axis.placed(scheme, size) for axis, size in sizes] == wanted:
            return int(scheme)
    return None
