"""Convolutions on floats, inner products and matrix products.

Facts: MNN 3.6.1 ``shape/ShapeConvolution.cpp``, ``core/ConvolutionCommon.cpp``,
``shape/ShapeInnerProduct.cpp``, ``shape/ShapeMatMul.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.file.weights import Decoder
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout, Value
from arenite.mnn.lowering.placed import PlacedConv2DOptions, PlacedDepthwiseConv2DOptions
from arenite.mnn.lowering.windows import Images, Slide, given_padding
from arenite.model import Array, OptionsTable
from arenite.ops.kernel_util import Activation, Padding
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions


@dataclass(frozen=True)
class NetConvolution:
    """Facts of a convolution before its weights."""

    images: Images
    slide: Slide
    filters: int
    groups: int
    activation: int

    @property
    def shape(self) -> Shape:
        """Of the weights in the file: filters, depth, height, width."""
        return (self.filters, self.images.channels // self.groups, *self.slide.kernel)

    @property
    def output_shape(self) -> Shape:
        """Of the output, NHWC."""
        return (self.images.batches, *self.slide.output, self.filters)

    @property
    def is_depthwise(self) -> bool:
        """Whether every channel has one filter of its own."""
        return 1 < self.groups == self.images.channels == self.filters

    @property
    def is_pointwise(self) -> bool:
        """Whether there is one tap and one position, which is that of the only pixel."""
        slide = self.slide
        sizes = {slide.kernel, slide.size, slide.output}
        return self.groups == 1 and sizes == {(1, 1)} and slide.padding == (0, 0)


def convolution(g: GraphBuilder, op: Op) -> None:
    """Convolution and ConvolutionDepthwise on floats."""
    conv = described(g, op)
    images = conv.images
    logical = images.logical(conv.slide.output, conv.filters)
    y = g.output(op, logical, images.value)
    if len(op.inputs) > 1:
        computed_weights(g, op, conv, y)
        return
    weights = Weights(g, op, conv.shape)
    bias = bias_of(g, op, conv.filters)
    if conv.is_depthwise:
        inputs = [images.tensor(g), weights.tensor(hwc), *bias]
        options = depthwise_options(conv)
        g.emit("DEPTHWISE_CONV_2D", inputs, [g.new(y, Layout.LAST, conv.output_shape)], options)
    elif conv.is_pointwise:
        inputs = [rows(g, images.value, images.channels), weights.tensor(matrix), *bias]
        result = g.new(y, Layout.LAST, (images.batches, conv.filters))
        flat = FullyConnectedOptions(fused_activation_function=conv.activation)
        g.emit("FULLY_CONNECTED", inputs, [result], flat)
    else:
        inputs = [images.tensor(g), weights.tensor(ohwi), *bias]
        result = g.new(y, Layout.LAST, conv.output_shape)
        g.emit("CONV_2D", inputs, [result], conv_options(conv))


def computed_weights(g: GraphBuilder, op: Op, conv: NetConvolution, y: Value) -> None:
    """A convolution whose weights, and bias, are inputs."""
    weights = g.input(op, 1)
    if conv.is_depthwise or weights.shape != conv.shape:
        g.fail(op, f"expected weights of shape {list(conv.shape)}, got {list(weights.shape)}")
    inputs = [conv.images.tensor(g), g.tensor(weights, Layout.LAST)]
    if len(op.inputs) > 2:
        inputs.append(g.tensor(g.input(op, 2)))
    result = g.new(y, Layout.LAST, conv.output_shape)
    g.emit("CONV_2D", inputs, [result], conv_options(conv))


# -- geometry -----------------------------------------------------------------------------


def described(g: GraphBuilder, op: Op) -> NetConvolution:
    """The convolution's geometry."""
    common = common_of(g, op)
    images = Images.of(g, op, g.input(op))
    filters, kernel = common["outputCount"], (common["kernelY"], common["kernelX"])
    if len(op.inputs) > 1 and filters == 0:
        shape = g.input(op, 1).shape
        if len(shape) != 4:
            g.fail(op, f"expected weights of 4 dimensions, got {list(shape)}")
        filters, kernel = shape[0], (shape[2], shape[3])
    groups = images.channels if op.type in _DEPTHWISE else max(common["group"], 1)
    if filters < 1 or groups < 1 or images.channels % groups or filters % groups:
        g.fail(
            op, f"{groups} groups do not divide {images.channels} channels and {filters} filters"
        )
    stride = (common["strideY"], common["strideX"])
    slide = Slide(images.size, kernel, stride, (common["dilateY"], common["dilateX"]))
    slide = slide.checked(g, op, (0, 0), (1, 1))
    before, behind = given_padding(g, op, common, ".main.common")
    slide = slide.placed(g, op, common["padMode"], before, behind)
    return NetConvolution(images, slide, filters, groups, activation_of(common))


_DEPTHWISE = (OpType.ConvolutionDepthwise, OpType.DepthwiseConvInt8)


def common_of(g: GraphBuilder, op: Op) -> Row:
    """The part of the parameters that all convolutions have."""
    common: Row | None = op.main["common"]
    if common is None:
        g.fail(op, "expected parameters with 'common'", ".main")
    return common


def activation_of(common: Row) -> int:
    """The activation that is fused into a convolution."""
    if common["relu"]:
        return Activation.RELU
    return Activation.RELU6 if common["relu6"] else Activation.NONE


def conv_options(conv: NetConvolution) -> OptionsTable:
    """The options of CONV_2D."""
    slide, scheme = conv.slide, conv.slide.scheme
    fields = window_fields(conv)
    if scheme is not None:
        return Conv2DOptions(padding=scheme, **fields)
    return PlacedConv2DOptions(padding=Padding.SAME, placement=slide.placement, **fields)


def depthwise_options(conv: NetConvolution) -> OptionsTable:
    """The options of DEPTHWISE_CONV_2D."""
    slide, scheme = conv.slide, conv.slide.scheme
    fields = {**window_fields(conv), "depth_multiplier": 1}
    if scheme is not None:
        return DepthwiseConv2DOptions(padding=scheme, **fields)
    return PlacedDepthwiseConv2DOptions(padding=Padding.SAME, placement=slide.placement, **fields)


def window_fields(conv: NetConvolution) -> dict[str, int]:
    """Fields that both kinds of options have."""
    (stride_h, stride_w), (dilation_h, dilation_w) = conv.slide.stride, conv.slide.dilation
    return {
        "stride_h": stride_h,
        "stride_w": stride_w,
        "dilation_h_factor": dilation_h,
        "dilation_w_factor": dilation_w,
        "fused_activation_function": conv.activation,
    }


def rows(g: GraphBuilder, x: Value, depth: int) -> int:
    """``x`` under any shape whose last dimension is ``depth``."""
    held = g.bytes(x, Key(Layout.LAST))
    shape = next((s for s in held.tensors if s[-1:] == (depth,)), (x.size // depth, depth))
    return g.shaped(held, shape, x.name)


# -- weights ------------------------------------------------------------------------------

Order = Callable[[Array], Array]


@dataclass(frozen=True)
class Weights:
    """A convolution's weights as float32, in the order that a kernel reads.

    ``shape`` is that of the weights in the file.
    """

    g: GraphBuilder
    op: Op
    shape: Shape

    def tensor(self, order: Order) -> int:
        """A constant tensor with the weights in one of the orders below."""
        array = self.g.net.made((self.op.index, order.__name__), lambda: self._ordered(order))
        return self.g.constant(array, f"{self.op.name} weights")

    def _ordered(self, order: Order) -> Array:
        return np.ascontiguousarray(order(self._decoded().reshape(self.shape)))

    def _decoded(self) -> Array:
        g, op, count = self.g, self.op, prod(self.shape)
        quan, flat = op.main["quanParameter"], op.main["weight"]
        if flat is None and op.main["external"] is not None:
            g.fail(op, "its weights are in another file; put them into the model", ".main.external")
        if quan is not None:
            flat = Decoder(g.net, quan, f"{op.path}.main.quanParameter").real(count)
        if flat is None:
            g.fail(
                op,
                "it has no weights; files without any, as MNN's benchmarks are, say how long an "
                "inference takes and nothing else",
                ".main",
            )
        if len(flat) != count:
            shape = list(self.shape)
            g.fail(op, f"expected {count} weights for {shape}, got {len(flat)}", ".main")
        return np.asarray(flat)


def ohwi(taps: Array) -> Array:
    """For CONV_2D."""
    return np.asarray(taps.transpose(0, 2, 3, 1))


def hwc(taps: Array) -> Array:
    """For DEPTHWISE_CONV_2D."""
    return np.asarray(np.moveaxis(taps[:, 0], 0, 2)[np.newaxis])


def matrix(taps: Array) -> Array:
    """For FULLY_CONNECTED."""
    return taps.reshape(taps.shape[:2])


def bias_of(g: GraphBuilder, op: Op, units: int) -> list[int]:
    """The bias as a list of one tensor, or of none."""
    bias = op.main["bias"]
    if bias is None or not len(bias):
        return []
    if len(bias) != units:
        g.fail(op, f"expected a bias of {units} numbers, got {len(bias)}", ".main.bias")
    return [g.constant(bias, f"{op.name} bias")]


# -- matrices -----------------------------------------------------------------------------


def inner_product(g: GraphBuilder, op: Op) -> None:
    """InnerProduct: rows times a constant matrix, plus a bias."""
    x, row = g.input(op), op.main
    units = row["outputCount"]
    if x.rank != 2 or units < 1:
        g.fail(op, f"expected an input of 2 dimensions and outputs, got {list(x.shape)}, {units}")
    n, depth = x.shape
    count, flat = units * depth, row["weight"]
    if row["quanParameter"] is not None:
        path = f"{op.path}.main.quanParameter"
        flat = Decoder(g.net, row["quanParameter"], path).real(count)
    if flat is None or len(flat) != count:
        g.fail(op, f"expected {count} weights, got {0 if flat is None else len(flat)}", ".main")
    table = np.ascontiguousarray(flat.reshape(units, depth))
    inputs = [g.tensor(x), g.constant(table, f"{op.name} weights"), *bias_of(g, op, units)]
    y = g.output(op, (n, units), x)
    g.emit("FULLY_CONNECTED", inputs, [g.new(y)], FullyConnectedOptions())


def matrix_product(g: GraphBuilder, op: Op) -> None:
    """MatMul and BatchMatMul, with broadcasting of what comes before the last two axes."""
    a, b = g.input(op, 0), g.input(op, 1)
    names = ("transposeA", "transposeB") if op.type is OpType.MatMul else ("adjX", "adjY")
    adj_a, adj_b = (bool(op.main.get(name)) for name in names)
    # A vector is a matrix of one row on the left, of one column on the right.
    left = (1, *a.shape) if a.rank == 1 else a.shape
    right = (*b.shape, 1) if b.rank == 1 else b.shape
    adj_a, adj_b = adj_a and a.rank > 1, adj_b and b.rank > 1
    if min(a.rank, b.rank) < 1 or max(len(left), len(right)) > 5 or len(op.inputs) > 2:
        g.fail(op, f"cannot multiply {list(a.shape)} by {list(b.shape)}, with a bias or without")
    outer, depth = left[-2:][::-1] if adj_a else left[-2:]
    depth_, columns = right[-2:][::-1] if adj_b else right[-2:]
    batches = broadcast(left[:-2], right[:-2])
    if batches is None or depth != depth_:
        g.fail(op, f"cannot multiply {list(a.shape)} by {list(b.shape)}")
    shape = (*batches, *((outer,) if a.rank > 1 else ()), *((columns,) if b.rank > 1 else ()))
    y = g.output(op, shape or (1,), a)
    inputs = [
        g.shaped(g.bytes(value, Key(Layout.PLAIN)), full, value.name)
        for value, full in ((a, left), (b, right))
    ]
    product = g.new(y, Layout.PLAIN, (*batches, outer, columns))
    g.emit("BATCH_MATMUL", inputs, [product], BatchMatMulOptions(adj_x=adj_a, adj_y=adj_b))


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The common shape, or None if there is none."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


MAPPINGS = {
    OpType.InnerProduct: inner_product,
    OpType.MatMul: matrix_product,
    OpType.BatchMatMul: matrix_product,
}
