"""Convolutions of one operator, with numbers that are drawn."""

from dataclasses import dataclass

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.kernel_util import window_output_size
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.parts import divided_into

Pair = tuple[int, int]


@dataclass(frozen=True)
class Layer:
    """A convolution without its numbers."""

    name: str
    image: tuple[int, int, int, int]
    filter: Pair
    filters: int
    stride: Pair
    dilation: Pair
    padding: int
    activation: int

    @property
    def output(self) -> tuple[int, int, int, int]:
        """NHWC."""
        height, width = (
            window_output_size(
                self.padding, self.image[1 + i], self.filter[i], self.stride[i], self.dilation[i]
            )
            for i in range(2)
        )
        return self.image[0], height, width, self.filters

    @property
    def weights(self) -> tuple[int, int, int, int]:
        """As the operator wants them."""
        if self.name == "CONV_2D":
            return self.filters, *self.filter, self.image[3]
        return 1, *self.filter, self.filters

    @property
    def depth(self) -> int:
        """Products in a sum."""
        taps = self.filter[0] * self.filter[1]
        return taps * self.image[3] if self.name == "CONV_2D" else taps

    @property
    def options(self) -> OptionsTable:
        """The operator's."""
        (sy, sx), (dy, dx) = self.stride, self.dilation
        if self.name == "CONV_2D":
            return Conv2DOptions(self.padding, sx, sy, self.activation, dx, dy)
        multiplier = self.filters // self.image[3]
        return DepthwiseConv2DOptions(self.padding, sx, sy, multiplier, self.activation, dx, dy)


def build(layer: Layer, rng: np.random.Generator) -> Model:
    """Weights from tiny to large, scales that let the sums fill the output, or overflow it."""
    b = ModelBuilder()
    x_scale, largest = 10 ** rng.uniform(-3, 1), rng.choice([2, 15, 127])
    scales = (10 ** rng.uniform(-4, -1, layer.filters)).astype(np.float32)
    spread = 74 * largest * layer.depth**0.5
    values = rng.integers(-largest, largest, layer.weights, np.int8, endpoint=True)
    bias = (rng.normal(size=layer.filters) * spread * rng.choice([0, 1, 3])).astype(np.int32)
    axis = 0 if layer.name == "CONV_2D" else 3
    inputs = [
        b.input("x", layer.image, "int8", scale=x_scale, zero_point=zero_point(rng)),
        b.constant("w", values, scale=scales, quantized_dimension=axis),
        b.constant("b", bias, scale=scales * np.float32(x_scale)),
    ]
    y_scale = float(np.median(scales)) * x_scale * spread * rng.choice([0.3, 1, 4, 30]) / 60
    y = b.tensor("y", layer.output, "int8", scale=y_scale, zero_point=zero_point(rng))
    b.operator(layer.name, inputs, [y], layer.options)
    b.output(y)
    return b.build()


def zero_point(rng: np.random.Generator) -> int:
    return int(rng.choice([-128, int(rng.integers(-128, 128))]))


def parts_are_the_whole(isa: str, layer: Layer, seed: int, parts: int) -> None:
    """A layer's step in parts, on two threads, has the outputs of the whole one."""
    rng = np.random.default_rng(seed)
    model = build(layer, rng)
    x = rng.integers(-128, 128, layer.image, np.int8)
    whole, shared = HeapInterpreter(model), HeapInterpreter(model, threads=2)
    for interpreter in (whole, shared):
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = x
    whole.compile(isa).invoke()
    with divided_into(parts):
        shared.compile(isa).invoke()
    np.testing.assert_array_equal(shared.output(0), whole.output(0))
