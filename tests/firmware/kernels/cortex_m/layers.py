"""Random layers side by side in one model: built and run once, compared one by one."""

from typing import Any

import numpy as np

from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.network.layers import Layer, network_of
from arenite.firmware.trial import Trial, trial
from arenite.model import Model, ModelBuilder
from arenite.ops.kernel_util import window_output_size
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.mul import MulOptions

_PAIRS = {"ADD": AddOptions, "SUB": SubOptions, "MUL": MulOptions}
_SELECTIONS = ("MAXIMUM", "MINIMUM")
Shape = tuple[int, int, int]
Pair = tuple[int, int]
NONE, RELU, RELU_N1, RELU6 = 0, 1, 2, 3
SAME, VALID = 0, 1


class Layers:
    """Collects layers, each with an input and an output of its own.

    With ``extreme``, scales, zero points and biases may be anything, and channels may be constant.
    Weights are ``heaviest`` at most.
    """

    def __init__(self, seed: int, *, extreme: bool = False, heaviest: int = 127) -> None:
        self.rng = np.random.default_rng(seed)
        self.extreme = extreme
        self.heaviest = heaviest
        #: Of an output's scale to the sums'; 0 for one that outputs use their range with.
        self.ratio = 0.0
        self._b = ModelBuilder()
        self._count = 0

    def build(self) -> Model:
        return self._b.build()

    def __len__(self) -> int:
        return self._count

    def run(self, runs: int = 4, flash: int | None = None, processor: str = "cortex-m4") -> Trial:
        return trial(self.build(), processor, runs=runs, flash=flash, optimize=False)

    def layers(self) -> tuple[Layer, ...]:
        return network_of(self.build()).layers

    def conv(
        self,
        shape: Shape,
        filters: int,
        kernel: tuple[int, int] = (1, 1),
        *,
        stride: int | Pair = 1,
        padding: int = SAME,
        activation: int = RELU,
        dilation: Pair = (1, 1),
        groups: int = 1,
    ) -> None:
        """A CONV_2D of an image (height, width, channels)."""
        stride = _pair(stride)
        weights = self._weights((filters, *kernel, shape[2] // groups), axis=0)
        options = Conv2DOptions(padding, stride[1], stride[0], activation, *dilation[::-1])
        out = (*self._size(shape, kernel, stride, padding, dilation), filters)
        self._layer("CONV_2D", shape, weights, out, options, activation=activation)

    def depthwise(
        self,
        shape: Shape,
        stride: int | Pair = 1,
        padding: int = SAME,
        kernel: Pair = (3, 3),
        *,
        multiplier: int = 1,
        activation: int = RELU,
        dilation: Pair = (1, 1),
    ) -> None:
        """A DEPTHWISE_CONV_2D of an image."""
        stride, filters = _pair(stride), shape[2] * multiplier
        weights = self._weights((1, *kernel, filters), axis=3)
        steps = stride[1], stride[0]
        options = DepthwiseConv2DOptions(padding, *steps, multiplier, activation, *dilation[::-1])
        out = (*self._size(shape, kernel, stride, padding, dilation), filters)
        self._layer("DEPTHWISE_CONV_2D", shape, weights, out, options, activation=activation)

    def dense(self, depth: int, units: int, activation: int = NONE, rows: int = 1) -> None:
        """A FULLY_CONNECTED of some rows."""
        weights, out = self._weights((units, depth), axis=0), (units,)
        options = FullyConnectedOptions(fused_activation_function=activation)
        how: dict[str, Any] = {"activation": activation, "images": rows}
        self._layer("FULLY_CONNECTED", (depth,), weights, out, options, **how)

    def add(
        self,
        shape: int | tuple[int, ...],
        name: str = "ADD",
        activation: int = NONE,
        *,
        other: tuple[int, ...] | None = None,
    ) -> None:
        """An operator of two tensors of random scales; the ``other`` may be broadcast."""
        shape = (1, shape) if isinstance(shape, int) else shape
        scales, zeros = self.rng.uniform(0.02, 0.1, 3), self.rng.integers(-100, 100, 3)
        if name in _SELECTIONS:
            scales[:], zeros[:] = scales[0], zeros[0]
        inputs = [
            self._b.input(f"{self._count}{i}", one, "int8", scale=scales[i], zero_point=zeros[i])
            for i, one in enumerate((shape, other or shape))
        ]
        scale = scales[2] * (20 if name == "MUL" else 1)
        y = self._output(np.broadcast_shapes(shape, other or shape), scale, int(zeros[2]))
        options = _PAIRS[name](activation) if name in _PAIRS else MaximumMinimumOptions()
        self._b.operator(name, inputs, [y], options)

    def average(self, shape: Shape, **kinds: Any) -> None:
        """An AVERAGE_POOL_2D, by default of a whole image."""
        self._pool("AVERAGE_POOL_2D", shape, **kinds)

    def largest(self, shape: Shape, **kinds: Any) -> None:
        """A MAX_POOL_2D, by default of a whole image."""
        self._pool("MAX_POOL_2D", shape, **kinds)

    def _pool(
        self,
        name: str,
        shape: Shape,
        kernel: Pair | None = None,
        stride: int | Pair = 1,
        *,
        padding: int = VALID,
        activation: int = NONE,
    ) -> None:
        kernel, stride = kernel or shape[:2], _pair(stride)
        x = self._b.input(f"x{self._count}", (1, *shape), "int8", scale=0.1, zero_point=-7)
        y = self._output((1, *self._size(shape, kernel, stride, padding), shape[2]), 0.1, -7)
        options = Pool2DOptions(padding, *stride[::-1], *kernel[::-1], activation)
        self._b.operator(name, [x], [y], options)

    def mean(self, shape: Shape, axes: tuple[int, ...] = (1, 2)) -> None:
        """A MEAN, by default over height and width."""
        zeros, scales = self.rng.integers(-128, 128, 2), self.rng.uniform(0.02, 0.06, 2)
        x = self._b.input(
            f"x{self._count}", (1, *shape), "int8", scale=scales.min(), zero_point=zeros[0]
        )
        going = self._b.constant(f"axes{self._count}", np.array(axes, np.int32))
        kept = tuple(size for axis, size in enumerate((1, *shape)) if axis not in axes)
        y = self._output(kept, scales.max(), int(zeros[1]))
        self._b.operator("MEAN", [x, going], [y], ReducerOptions())

    def values(self, shape: tuple[int, ...]) -> np.ndarray:
        """Weights of a shape."""
        return self.rng.integers(-self.heaviest, self.heaviest + 1, shape, np.int8)

    def _weights(self, shape: tuple[int, ...], axis: int) -> tuple[int, float, np.ndarray]:
        """Weights with a scale per channel; their number per output, and the mean scale."""
        values = self.values(shape)
        if self.extreme and self.rng.random() < 0.3:  # channels that never change, or nearly so
            np.moveaxis(values, axis, 0)[self.rng.random(shape[axis]) < 0.4] //= 127
        scale = self.rng.uniform(0.002, 0.01, shape[axis]).astype(np.float32)
        if self.extreme and self.rng.random() < 0.3:
            scale *= np.float32(2) ** self.rng.uniform(-6, 2, len(scale)).astype(np.float32)
        index = self._b.constant(
            f"w{self._count}",
            values,
            scale=scale,
            quantized_dimension=axis,
            zero_point=[0] * len(scale),
        )
        return index, values.size / shape[axis], scale

    def _layer(self, name, shape, weights, out, options, *, activation, images=1) -> None:
        index, taps, scales = weights
        zero = int(self.rng.integers(-128, 128))
        x = self._b.input(f"x{self._count}", (images, *shape), "int8", scale=0.02, zero_point=zero)
        bias = self._b.constant(
            f"b{self._count}",
            (self.rng.integers(-3000, 3000, len(scales)) * self._reach()).astype(np.int32),
            scale=0.02 * scales,
            zero_point=[0] * len(scales),
        )
        # So that outputs use their range: the spread of sums of so many products.
        spread = 0.02 * float(scales.mean()) * 74 * 74 * np.sqrt(taps)
        low = activation == RELU
        scale, zero = spread / (80 if low else 40), -128 if low else self.rng.integers(-60, 60)
        if self.extreme:
            reach = 10.0 if self.rng.random() < 0.2 else 3.0
            scale *= 2 ** self.rng.uniform(-reach, reach + 1)
            zero = self.rng.choice([zero, -128, 127, self.rng.integers(-128, 128)])
        if self.ratio:
            scale = 0.02 * float(scales.max()) / self.ratio
        y = self._output((images, *out), scale, int(zero))
        self._b.operator(name, [x, index, bias], [y], options)

    def _output(self, shape: tuple[int, ...], scale: float, zero: int) -> int:
        y = self._b.tensor(f"y{self._count}", shape, "int8", scale=scale, zero_point=zero)
        self._b.output(y)
        self._count += 1
        return y

    def _reach(self) -> int:
        """What a layer's bias is multiplied by."""
        return int(self.rng.choice([1, 1, 10, 100])) if self.extreme else 1

    @staticmethod
    def _size(
        shape: Shape, kernel: Pair, stride: Pair, padding: int, dilation: Pair = (1, 1)
    ) -> Pair:
        height, width = (
            window_output_size(padding, *one)
            for one in zip(shape[:2], kernel, stride, dilation, strict=True)
        )
        return height, width


def _pair(stride: int | Pair) -> Pair:
    return (stride, stride) if isinstance(stride, int) else stride


def assert_equal_in_assembly(layers: Layers) -> None:
    """Every layer is in assembly, and gives the reference's bits on an emulated Cortex-M4."""
    assert [cortex_m_work(layer).reason for layer in layers.layers()] == [""] * len(layers)
    assert layers.run().differences == ()
