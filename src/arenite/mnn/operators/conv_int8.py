"""MNN_CONV_INT8: int8 convolutions as MNN computes them, rescaled in floats.

``y = sum((x + 128) * w) * factor + bias`` per filter where the bias is float32, and
``y = (sum((x + 128) * w) + bias) * factor`` where it is int32; as int8 it is clamped and rounded,
halves away from zero. Inputs: images NHWC; weights OHWI, or 1HWC where it is depthwise; bias;
factors (float32). Facts: MNN 3.6.1 ``backend/cpu/CPUConvolution.cpp``,
``compute/Int8FunctionsOpt.cpp``, ``x86_x64/avx/GemmInt8.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import from_mnn, rounded
from arenite.model import OptionsTable, TensorType
from arenite.numeric.product import matrix_product
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import (
    FLOAT32_LOWEST,
    FLOAT32_MAX,
    input_array,
    input_tensor,
    output_array,
    output_tensor,
)
from arenite.ops.registry import Registration
from arenite.ops.shared.window import Border, Placement, Window, axes_of
from arenite.ops.traits import Traits

_NOWHERE = Placement((0, 0), (0, 0))
#: Whole numbers up to this size are exact in float32.
_EXACT = 1 << 24
#: Elements of windows that are copied at once.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class MnnConvInt8Options(OptionsTable):
    """Where the window slides, and the range of the output.

    ``zero`` lies around the images; ``clamp`` is None for an output in float32, which is only
    cut off at 0 where ``relu`` says so.
    """

    placement: Placement = _NOWHERE
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    zero: int = 0
    clamp: tuple[int, int] | None = None
    relu: bool = False
    depthwise: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the output."""
        if self.clamp is not None:
            return self.clamp
        return (0.0 if self.relu else FLOAT32_LOWEST), FLOAT32_MAX


@dataclass(frozen=True)
class MnnConvInt8Params:
    """``y = (sum((x + input_offset) * w) + start) * factor + offset``, clamped, per filter.

    ``start`` is int32, ``factor`` and ``offset`` are float32. ``fits_int32``: whatever the image,
    the sums are numbers of int32; otherwise ``start`` is not to be used.
    """

    window: Window
    groups: int
    is_depthwise: bool
    input_offset: int
    activation_min: float
    activation_max: float
    fits_int32: bool
    start: Array
    factor: Array
    offset: Array


def prepare(context: Context, node: Node) -> MnnConvInt8Params:
    """Geometry, what is added and multiplied, and the output's shape."""
    options: MnnConvInt8Options = node.options
    x, weights, bias, factors = (input_tensor(context, node, i) for i in range(4))
    output = output_tensor(context, node)
    filters = weights.shape[3] if options.depthwise else weights.shape[0]
    depth = x.shape[3] if options.depthwise else weights.shape[3]
    sizes = {filters, bias.size, factors.size, *((x.shape[3],) if options.depthwise else ())}
    if len(sizes) > 1 or depth < 1 or x.shape[3] % depth or filters % (x.shape[3] // depth):
        context.report_error(
            f"weights {list(weights.shape)}, bias {list(bias.shape)} and factors "
            f"{list(factors.shape)} do not fit images {list(x.shape)}"
        )
    if min(*options.stride, *options.dilation, *options.placement.output_size) < 1:
        context.report_error(f"strides, dilations and sizes must be at least 1, got {options}")
    window = Window(
        options.placement.output_size,
        (weights.shape[1], weights.shape[2]),
        options.stride,
        options.dilation,
        options.placement.padding,
    )
    context.resize_tensor(output.index, (x.shape[0], *window.output_size, filters))
    assert weights.data is not None
    assert bias.data is not None
    assert factors.data is not None
    groups = 1 if options.depthwise else x.shape[3] // depth
    is_whole = bias.type is TensorType.INT32
    start, fits = starts(options, weights.data, bias.data if is_whole else 0)
    return MnnConvInt8Params(
        window,
        groups,
        options.depthwise,
        -options.zero,
        *options.bounds,
        fits,
        start,
        factors.data.reshape(-1),
        np.zeros(filters, np.float32) if is_whole else bias.data.reshape(-1),
    )


def starts(options: MnnConvInt8Options, weights: Array, bias: Array | int) -> tuple[Array, bool]:
    """Lack of ``sum((x - zero) * w)`` per filter, and whether all sums are int32."""
    wide = weights.astype(np.int64)
    axes = (0, 1, 2) if options.depthwise else (1, 2, 3)
    start = (options.zero + 128) * wide.sum(axes) + bias
    largest = np.abs(wide).sum(axes) * 255 + np.abs(start)
    fits = int(largest.max(initial=0)) < 2**31
    return (start if fits else np.zeros_like(start)).astype(np.int32), fits


def invoke(context: Context, node: Node) -> None:
    """Convolve, rescale, round."""
    x, out = input_array(context, node, 0), output_array(context, node)
    weights, bias, factors = (input_array(context, node, i) for i in range(1, 4))
    if not out.size:
        return
    convolution = node.host.get("convolution")
    if convolution is None:
        params: MnnConvInt8Params = node.params
        convolution = WindowSums(params.window, node.options, x, weights)
        node.host["convolution"] = convolution
    options: MnnConvInt8Options = node.options
    for rows, sums in convolution(x, out.shape):
        with np.errstate(all="ignore"):
            if bias.dtype == np.int32:
                real = (sums + bias).astype(np.float32) * factors
            else:
                real = sums.astype(np.float32) * factors + bias
        out[:, rows] = rounded(real, *options.bounds, whole=options.clamp is not None)


class WindowSums:
    """``sum((x + 128) * w)`` of all windows, exactly, in floats that hold every sum."""

    def __init__(
        self, window: Window, options: MnnConvInt8Options, x: Array, weights: Array
    ) -> None:
        axes = axes_of(window, x.shape[1:3])
        weights = weights.transpose(3, 1, 2, 0) if options.depthwise else weights
        wide = weights.astype(np.int64)
        taps = wide[:, axes[0].taps, axes[1].taps]
        self._depthwise = options.depthwise
        self._border = Border(x.shape, axes, np.int8, options.zero)
        self._groups = 1 if options.depthwise else x.shape[3] // weights.shape[3]
        largest = int(np.abs(wide).sum((1, 2, 3)).max(initial=0)) * 256
        self._dtype = np.dtype(np.float32 if largest < _EXACT else np.float64)
        # Taps that never meet the image meet what lies around it.
        all_taps, met = wide.sum((1, 2, 3)), taps.sum((1, 2, 3))
        self._offsets = (128 * met + (128 + options.zero) * (all_taps - met)).astype(self._dtype)
        self._weights = taps.astype(self._dtype)

    def __call__(self, x: Array, shape: tuple[int, ...]) -> Iterator[tuple[slice, Array]]:
        """Some rows of the output at a time, with their sums; ``shape`` is the output's."""
        self._border.fill(x)
        windows = self._border.windows()
        per_row = max(windows[:, :1].size, 1)
        step = max(_BLOCK // per_row, 1)
        for start in range(0, shape[1], step):
            rows = slice(start, min(start + step, shape[1]))
            part = windows[:, rows].astype(self._dtype)
            sums = self._depthwise_sums(part) if self._depthwise else self._sums(part)
            yield rows, sums + self._offsets

    def _depthwise_sums(self, windows: Array) -> Array:
        return np.asarray(np.einsum("nhwijc,cij->nhwc", windows, self._weights[..., 0]))

    def _sums(self, windows: Array) -> Array:
        parts = zip(
            np.split(windows, self._groups, 5), np.split(self._weights, self._groups), strict=True
        )
        products = [
            matrix_product(part.reshape(*part.shape[:3], -1), matrix.reshape(len(matrix), -1).T)
            for part, matrix in parts
        ]
        return products[0] if len(products) == 1 else np.concatenate(products, 3)


def types_fit(node: NodeView) -> bool:
    """The output is int8 where there is a range to clamp to, else float32."""
    options: MnnConvInt8Options = node.options
    wanted = TensorType.FLOAT32 if options.clamp is None else TensorType.INT8
    return node.output(0).type is wanted


def numbers_are_int8(node: NodeView) -> bool:
    """The padding value and the output's range are int8."""
    options: MnnConvInt8Options = node.options
    return all(-128 <= n <= 127 for n in (options.zero, *(options.clamp or ())))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnConvInt8Options,
    constraints=(
        c.inputs_between(4, 4),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.INT8),
        c.input_types(1, TensorType.INT8),
        c.input_types(2, TensorType.INT32, TensorType.FLOAT32),
        c.input_types(3, TensorType.FLOAT32),
        c.constant(1),
        c.constant(2),
        c.constant(3),
        types_fit,
        numbers_are_int8,
        c.rank(0, 4),
        c.rank(1, 4),
    ),
)

TRAITS = Traits(drawn="conv")
