"""Random layers side by side in one model: built and run once, compared one by one."""

from __future__ import annotations

import numpy as np

from arenite.firmware.layers import Layer, network_of
from arenite.firmware.trial import Trial, trial
from arenite.model import Model, ModelBuilder
from arenite.ops.kernel_util import window_output_size
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions

Shape = tuple[int, int, int]
NONE, RELU = 0, 1
SAME, VALID = 0, 1


class Layers:
    """Collects layers, each with an input and an output of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self._b = ModelBuilder()
        self._count = 0

    def build(self) -> Model:
        return self._b.build()

    def run(self, runs: int = 4, flash: int | None = None) -> Trial:
        return trial(self.build(), runs=runs, flash=flash)

    def layers(self) -> tuple[Layer, ...]:
        return network_of(self.build()).layers

    def conv(
        self,
        shape: Shape,
        filters: int,
        kernel: tuple[int, int] = (1, 1),
        *,
        stride: int = 1,
        padding: int = SAME,
        activation: int = RELU,
    ) -> None:
        """A CONV_2D of an image (height, width, channels)."""
        weights = self._weights((filters, *kernel, shape[2]), axis=0)
        options = Conv2DOptions(padding, stride, stride, activation)
        out = (*self._size(shape, kernel, stride, padding), filters)
        self._layer("CONV_2D", shape, weights, out, options, activation=activation)

    def depthwise(
        self, shape: Shape, stride: int = 1, padding: int = SAME, kernel: tuple[int, int] = (3, 3)
    ) -> None:
        """A DEPTHWISE_CONV_2D with RELU."""
        weights = self._weights((1, *kernel, shape[2]), axis=3)
        options = DepthwiseConv2DOptions(padding, stride, stride, 1, RELU)
        out = (*self._size(shape, kernel, stride, padding), shape[2])
        self._layer("DEPTHWISE_CONV_2D", shape, weights, out, options, activation=RELU)

    def dense(self, depth: int, units: int, activation: int = NONE) -> None:
        """A FULLY_CONNECTED of one row."""
        weights = self._weights((units, depth), axis=0)
        options = FullyConnectedOptions(fused_activation_function=activation)
        self._layer("FULLY_CONNECTED", (depth,), weights, (units,), options, activation=activation)

    def add(self, size: int, name: str = "ADD") -> None:
        """An ADD or SUB of two vectors of random scales."""
        scales, zeros = self.rng.uniform(0.02, 0.1, 3), self.rng.integers(-100, 100, 3)
        inputs = [
            self._b.input(
                f"{self._count}{i}", (1, size), "int8", scale=scales[i], zero_point=zeros[i]
            )
            for i in (0, 1)
        ]
        y = self._output((1, size), scales[2], int(zeros[2]))
        self._b.operator(name, inputs, [y], AddOptions() if name == "ADD" else SubOptions())

    def average(self, shape: Shape) -> None:
        """An AVERAGE_POOL_2D of a whole image."""
        x = self._b.input(f"x{self._count}", (1, *shape), "int8", scale=0.1, zero_point=-7)
        y = self._output((1, 1, 1, shape[2]), 0.1, -7)
        options = Pool2DOptions(VALID, shape[1], shape[0], shape[1], shape[0])
        self._b.operator("AVERAGE_POOL_2D", [x], [y], options)

    def _weights(self, shape: tuple[int, ...], axis: int) -> tuple[int, float, np.ndarray]:
        """Weights with a scale per channel; their number per output, and the mean scale."""
        values = self.rng.integers(-127, 128, shape, np.int8)
        scale = self.rng.uniform(0.002, 0.01, shape[axis]).astype(np.float32)
        index = self._b.constant(
            f"w{self._count}",
            values,
            scale=scale,
            quantized_dimension=axis,
            zero_point=[0] * len(scale),
        )
        return index, values.size / shape[axis], scale

    def _layer(self, name, shape, weights, out, options, *, activation) -> None:
        index, taps, scales = weights
        zero = int(self.rng.integers(-128, 128))
        x = self._b.input(f"x{self._count}", (1, *shape), "int8", scale=0.02, zero_point=zero)
        bias = self._b.constant(
            f"b{self._count}",
            self.rng.integers(-3000, 3000, len(scales)).astype(np.int32),
            scale=0.02 * scales,
            zero_point=[0] * len(scales),
        )
        # So that outputs use their range: the spread of sums of so many products.
        spread = 0.02 * float(scales.mean()) * 74 * 74 * np.sqrt(taps)
        low = activation == RELU
        y = self._output(
            (1, *out),
            spread / (80 if low else 40),
            -128 if low else int(self.rng.integers(-60, 60)),
        )
        self._b.operator(name, [x, index, bias], [y], options)

    def _output(self, shape: tuple[int, ...], scale: float, zero: int) -> int:
        y = self._b.tensor(f"y{self._count}", shape, "int8", scale=scale, zero_point=zero)
        self._b.output(y)
        self._count += 1
        return y

    @staticmethod
    def _size(shape: Shape, kernel: tuple[int, int], stride: int, padding: int) -> tuple[int, int]:
        height, width = (
            window_output_size(padding, size, taps, stride, 1)
            for size, taps in zip(shape[:2], kernel, strict=True)
        )
        return height, width
