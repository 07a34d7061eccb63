"""Transposed convolutions.

Facts: MNN 3.6.1 ``shape/ShapeDeconvolution.cpp``, ``core/ConvolutionCommon.cpp``
(``convolutionTransposePad``), ``backend/cpu/CPUDeconvolution.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.convolution import Weights, activation_of, bias_of, common_of
from arenite.mnn.lowering.graph_builder import GraphBuilder, Layout
from arenite.mnn.lowering.placed import PlacedTransposeConvOptions
from arenite.mnn.lowering.windows import SAME, Images, Pair, given_padding
from arenite.mnn.operators.transpose_conv import MnnTransposeConvOptions
from arenite.model import Array
from arenite.ops.kernel_util import Activation, Padding


@dataclass(frozen=True)
class Deconvolution:
    """Facts of a transposed convolution before its weights."""

    images: Images
    filters: int
    groups: int
    kernel: Pair
    stride: Pair
    dilation: Pair
    padding: Pair
    output: Pair
    activation: int

    @property
    def shape(self) -> Shape:
        """Of the weights in the file: input channels, filters of a group, height, width."""
        return (self.images.channels, self.filters // self.groups, *self.kernel)

    @property
    def is_plain(self) -> bool:
        """Whether TRANSPOSE_CONV takes it."""
        return self.groups == 1 and self.dilation == (1, 1)


def deconvolution(g: GraphBuilder, op: Op) -> None:
    """Deconvolution and DeconvolutionDepthwise."""
    conv = described(g, op)
    y = g.output(op, conv.images.logical(conv.output, conv.filters), conv.images.value)
    shape = (conv.images.batches, *conv.output, conv.filters)
    target = g.new(y, Layout.LAST, shape)
    source, weights = conv.images.tensor(g), Weights(g, op, conv.shape)
    bias = bias_of(g, op, conv.filters)
    if conv.is_plain:
        size = g.constant(np.array(shape, np.int32), "output shape")
        options = PlacedTransposeConvOptions(
            padding=Padding.VALID,
            stride_h=conv.stride[0],
            stride_w=conv.stride[1],
            fused_activation_function=conv.activation,
            placement=conv.padding,
        )
        inputs = [size, weights.tensor(filters_first), source, *bias]
        g.emit("TRANSPOSE_CONV", inputs, [target], options)
        return
    low, high = _BOUNDS[Activation(conv.activation)]
    grouped = MnnTransposeConvOptions(
        conv.output, conv.stride, conv.dilation, conv.padding, low, high
    )

    def by_group(taps: Array) -> Array:
        groups = taps.reshape(conv.groups, -1, *taps.shape[1:])
        return np.asarray(groups.transpose(0, 3, 4, 1, 2))

    inputs = [source, weights.tensor(by_group), *bias]
    g.emit("MNN_TRANSPOSE_CONV", inputs, [target], grouped)


_BOUNDS = {
    Activation.NONE: (-inf, inf),
    Activation.RELU: (0.0, inf),
    Activation.RELU6: (0.0, 6.0),
}


def filters_first(taps: Array) -> Array:
    """For TRANSPOSE_CONV: filters, height, width, depth."""
    return np.asarray(taps.transpose(1, 2, 3, 0))


def described(g: GraphBuilder, op: Op) -> Deconvolution:
    """The geometry."""
    common = common_of(g, op)
    images = Images.of(g, op, g.input(op))
    filters, kernel = common["outputCount"], (common["kernelY"], common["kernelX"])
    stride = (common["strideY"], common["strideX"])
    dilation = (common["dilateY"], common["dilateX"])
    groups = images.channels if op.type is OpType.DeconvolutionDepthwise else common["group"]
    groups = max(groups, 1)
    if min(*kernel, *stride, *dilation, filters, images.channels) < 1:
        g.fail(op, f"expected positive sizes, got {kernel}, {stride}, {dilation}, {filters}")
    if filters % groups or images.channels % groups:
        g.fail(op, f"{groups} groups do not divide {images.channels} channels, {filters} filters")
    if len(op.inputs) > 1 + bool(common["hasOutputShape"]):
        g.fail(op, "weights that are computed are not supported")
    padding, output = placed(g, op, common, images.size)
    if min(output) < 1:
        g.fail(op, f"there is no output of {output}")
    return Deconvolution(
        images, filters, groups, kernel, stride, dilation, padding, output, activation_of(common)
    )


def placed(g: GraphBuilder, op: Op, common: Row, size: Pair) -> tuple[Pair, Pair]:
    """Cut before the output, and the output's size."""
    before, behind = given_padding(g, op, common, ".main.common")
    more = common["outPads"]
    extra = (0, 0) if more is None or len(more) < 2 else (int(more[0]), int(more[1]))
    wanted: Pair | None = None
    if common["hasOutputShape"]:
        numbers = g.known(op, len(op.inputs) - 1).reshape(-1)
        if len(numbers) < 3:
            g.fail(op, f"expected an output shape of 4 numbers, got {numbers.tolist()}")
        wanted = (int(numbers[1]), int(numbers[2]))
    pads, sizes = [], []
    for axis, names in enumerate(
        (("kernelY", "strideY", "dilateY"), ("kernelX", "strideX", "dilateX"))
    ):
        kernel, stride, dilation = (common[name] for name in names)
        n = size[axis]
        full = (n - 1) * stride + dilation * (kernel - 1) + 1
        pad = before[axis]
        if wanted is not None and min(wanted) > 0:
            out = wanted[axis]
        elif common["padMode"] == SAME:
            out = n * stride
        else:
            out = full - before[axis] - behind[axis] + extra[axis]
        if common["padMode"] == SAME:
            pad = int(((n - 1) * stride + kernel - out) / 2)
        pads.append(pad)
        sizes.append(out)
    return (pads[0], pads[1]), (sizes[0], sizes[1])


MAPPINGS = {
    OpType.Deconvolution: deconvolution,
    OpType.DeconvolutionDepthwise: deconvolution,
}
