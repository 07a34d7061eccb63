"""CONV_2D: a 2-D convolution, with groups, dilation and a fused activation.

Facts: TFLM ``micro/kernels/conv_common.cc``, ``reference/conv.h`` and
``reference/integer_ops/conv.h``.

Undefined in TFLM: weights with a zero point. They are computed with as if it were 0, with a
warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import INT4, INT8, INT32, INT64
from arenite.numeric.product import matrix_product
from arenite.ops import Array, Bias, Context, Node, Registration, Scheme, Struct, Traits, Weights
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.overlap import Clearance
from arenite.ops.shared import convolution as conv
from arenite.ops.shared.cases import convolution_cases
from arenite.ops.shared.window import Axis, Border, Window, axes_of, window_of
from arenite.ops.shared.window_overlap import position_by_position, window_over

#: Products in one call of the matrix product. Over this OpenBLAS starts threads, and on a
#: busy machine waiting for them takes much longer than the product.
_PRODUCTS = 1 << 18
#: Fewer rows at once make matrix products slow.
_ROWS = 16


class Conv2DOptions(OptionsTable, union=1):
    """``table Conv2DOptions``."""

    padding: int = slot(0, "int8")
    stride_w: int = slot(1, "int32")
    stride_h: int = slot(2, "int32")
    fused_activation_function: int = slot(3, "int8")
    dilation_w_factor: int = slot(4, "int32", 1)
    dilation_h_factor: int = slot(5, "int32", 1)
    quantized_bias_type: int = slot(6, "int8")


@quick
@dataclass(frozen=True)
class Conv2DParams(conv.ConvolutionParams):
    """The common parameters, and the geometry."""

    window: Window
    groups: int
    filter_scratch: int


def channels_divide(node: c.NodeView) -> bool:
    """Input channels are a multiple of the filter's, and output channels of the groups."""
    depth, (filters, _, _, group) = node.input(0).shape[3], node.input(1).shape
    if filters < 1 or group < 1 or depth % group:
        return False
    groups = depth // group
    return groups > 0 and filters % groups == 0


def prepare(context: Context, node: Node) -> Conv2DParams:
    """Geometry, output shape, requantisation; scratch for int4 weights."""
    options: Conv2DOptions = node.options
    output, inp, weights = conv.tensors_of(context, node)
    channels = weights.shape[0]
    context.reserve_persistent_buffer(4 * channels, "per-channel multipliers")
    context.reserve_persistent_buffer(4 * channels, "per-channel shifts")
    window = window_of(context, options, inp.shape, weights.shape[1:3])
    context.resize_tensor(output.index, (inp.shape[0], *window.output_size, channels), "refused")
    bias = conv.ask_again(context, node)
    multiplier, shift = util.convolution_multipliers(context, inp, weights, output, channels)
    low, high = util.activation_range_of(context, options.fused_activation_function, output)
    filter_scratch = -1
    if weights.type is INT4:
        filter_scratch = context.request_scratch_buffer_in_arena(weights.size, "unpacked weights")
    bias_type = bias.type if bias else options.quantized_bias_type
    return Conv2DParams(
        input_offset=-inp.zero_point if inp.type is INT8 else 0,
        output_offset=output.zero_point if inp.type is INT8 else 0,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=conv.accumulates_64_bits(context, inp.type, bias_type, shift),
        window=window,
        groups=inp.shape[3] // weights.shape[3],
        filter_scratch=filter_scratch,
    )


class _Block(NamedTuple):
    """Some output rows of one image: windows are copied to patches, those multiplied.

    ``source`` views the padded input; without one the input itself is copied. A product
    is ``(patches, matrix, sums)``.
    """

    source: Array | None
    patches: Array
    products: list[tuple[Array, Array, Array]]


class Convolution:
    """``out = activation(requantise(patches(x) @ weights + bias))``, exactly.

    One matrix per group, in the narrowest float type that holds every sum of products.
    """

    def __init__(
        self, params: Conv2DParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        axes = axes_of(params.window, x.shape[1:3])
        weights = weights[:, axes[0].taps, axes[1].taps]
        offset = params.input_offset
        sums = conv.Sums.of(weights, bias, conv.largest_raw(x, offset), offset)
        self._border = None
        if params.groups > 1 or not _is_pointwise(axes):
            self._border = Border(x.shape, axes, conv.padding_type(x, -offset), -offset)
        filters, depth = len(weights) // params.groups, weights.shape[3]
        positions = out.size // out.shape[3]
        self._groups = []
        for group in range(params.groups):
            channels = slice(group * filters, (group + 1) * filters)
            dtype, finish = conv.finish_of(params, sums, out, positions, channels)
            matrix = np.ascontiguousarray(weights[channels].reshape(filters, -1).T, dtype)
            acc = np.empty((positions, filters), dtype)
            if self._border is None:
                patches = np.empty((positions, depth), dtype)
                blocks = [_Block(None, patches, list(_products(patches, matrix, acc)))]
            else:
                inputs = slice(group * depth, (group + 1) * depth)
                blocks = list(_blocks(self._border.windows()[..., inputs], matrix, acc))
            self._groups.append((channels, blocks, acc, finish))

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, h, w, c) to ``out``."""
        if self._border is not None:
            self._border.fill(x)
        for channels, blocks, acc, finish in self._groups:
            for block in blocks:
                source = x.reshape(block.patches.shape) if block.source is None else block.source
                np.copyto(block.patches, source)
                for patches, matrix, sums in block.products:
                    matrix_product(patches, matrix, out=sums)
            finish(acc, out[..., channels])


def convolution(
    params: Conv2DParams, x: Array, weights: Array, bias: Array | None, out: Array
) -> conv.Kernel:
    """The kernel for these weights."""
    if not conv.are_finite(weights):
        return conv.TapByTap(params, weights, bias, params.groups)
    return Convolution(params, x, weights, bias, out)


def _is_pointwise(axes: tuple[Axis, Axis]) -> bool:
    """Whether there is one tap, which meets every element once."""
    return all(a.count == a.stride == 1 and a.first == 0 and a.size == a.outputs for a in axes)


def _blocks(windows: Array, matrix: Array, acc: Array) -> Iterator[_Block]:
    """Blocks of output rows, each about as large as one product."""
    images, height, width = windows.shape[:3]
    window = windows.shape[3:]
    step = max(1, min(height, _PRODUCTS // (width * matrix.size)))
    memory = np.empty((step, width, *window), acc.dtype)
    done = 0
    for image in range(images):
        for top in range(0, height, step):
            source = windows[image, top : top + step]
            patches = memory[: len(source)]
            rows = patches.reshape(-1, len(matrix))
            products = _products(rows, matrix, acc[done : done + len(rows)])
            yield _Block(source, patches, list(products))
            done += len(rows)


def _products(patches: Array, matrix: Array, acc: Array) -> Iterator[tuple[Array, Array, Array]]:
    """``patches @ matrix`` into ``acc``, in parts of rows or, where rows are few, columns."""
    count, (depth, filters) = len(patches), matrix.shape
    rows = min(max(count, 1), max(_ROWS, _PRODUCTS // matrix.size))
    columns = min(filters, max(_ROWS, _PRODUCTS // (rows * depth)))
    for top in range(0, count, rows):
        for left in range(0, filters, columns):
            part = slice(left, left + columns)
            weights = np.ascontiguousarray(matrix[:, part])
            yield patches[top : top + rows], weights, acc[top : top + rows, part]


def overlap(view: c.NodeView, position: int) -> Clearance | None:
    """Every output pixel reads its window anew for each of its channels."""
    if position != 0:
        return None
    channels, *taps, _ = view.input(1).shape
    return position_by_position(window_over(view, tuple(taps), channels), view)


REGISTRATION = Registration(
    init=util.allocate_struct(conv.OP_DATA),
    prepare=prepare,
    invoke=conv.invoke_with(convolution),
    overlap=overlap,
    options=Conv2DOptions,
    builtin_data=Struct("TfLiteConvParams", ("enum", "int", "int", "enum", "int", "int", "enum")),
    constraints=(
        *conv.CONSTRAINTS,
        c.rank(0, 4),
        c.rank(1, 4),
        channels_divide,
        conv.bias_types(INT32, INT64),
        conv.bias_per_channel(0),
    ),
)

TRAITS = Traits(
    values="sums",
    channels="convolved",
    fuses_clamp=True,
    drawn="conv",
    compiled="TFLM ignores a fused TANH and zero points of weights, Vela does not; of groups and a "
    "batch, Vela's commands read the first sample twice",
    takes_decoded=True,
)

SCHEME = Scheme(weights={1: Weights(0, (INT8, INT4), columns=3)}, biases={2: Bias(0, 1)})

CASES = convolution_cases("CONV_2D", Conv2DOptions)
