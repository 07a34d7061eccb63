"""Small networks whose channels never change where a test says so."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.kernel_util import Padding, window_output_size
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from tests.ops.convolutions import pack_int4

Array = np.ndarray
SAME, VALID = Padding.SAME, Padding.VALID
#: Large enough for any layer here to end at the lower end of its type.
LOW = -(1 << 26)


class Tensor(NamedTuple):
    """A tensor's index and shape."""

    index: int
    shape: tuple[int, ...]


class Chain:
    """Layers with random weights and scale 1 for all activations, one behind the other.

    ``quiet`` channels of a layer are so negative that their outputs are the lowest number: with
    ``zero`` = -128 that is real 0, with another zero point it is not.
    """

    def __init__(self, seed: int = 1, dtype: str = "int8", weights: str = "int8") -> None:
        self.rng = np.random.default_rng(seed)
        self.b = ModelBuilder()
        self.dtype, self.weights = dtype, weights
        self.scale = 1.0 if dtype == "int8" else 1 / 64
        self.count = 0

    def build(self, *outputs: Tensor, **more: object) -> Model:
        for tensor in outputs:
            self.b.output(tensor.index)
        return self.b.build(**more)  # type: ignore[arg-type]

    def input(self, *shape: int, zero: int = 0) -> Tensor:
        zero = 0 if self.dtype == "int16" else zero
        index = self.b.input("x", shape, self.dtype, scale=self.scale, zero_point=zero)
        return Tensor(index, shape)

    def tensor(self, shape: Sequence[int], zero: int = 0) -> Tensor:
        zero = 0 if self.dtype == "int16" else zero
        self.count += 1
        name = f"t{self.count}"
        index = self.b.tensor(name, shape, self.dtype, scale=self.scale, zero_point=zero)
        return Tensor(index, tuple(shape))

    # -- layers

    def conv(
        self,
        x: Tensor,
        filters: int,
        taps: int = 1,
        *,
        quiet: Sequence[int] = (),
        unread: Sequence[int] = (),
        padding: int = VALID,
        stride: int = 1,
        zero: int = -128,
        bias: Array | str | None = "random",
        values: Array | None = None,
    ) -> Tensor:
        """CONV_2D; ``unread`` input channels have weights of 0."""
        if values is None:
            values = self.values(filters, taps, taps, x.shape[3])
        values[..., list(unread)] = 0
        size = [window_output_size(padding, n, taps, stride, 1) for n in x.shape[1:3]]
        y = self.tensor((x.shape[0], *size, filters), zero)
        operands = self.operands(values, 0, filters, quiet, bias)
        options = Conv2DOptions(padding, stride, stride, self._activation())
        self.b.operator("CONV_2D", [x.index, *operands], [y.index], options)
        return y

    def depthwise(
        self,
        x: Tensor,
        taps: int = 3,
        *,
        multiplier: int = 1,
        quiet: Sequence[int] = (),
        padding: int = SAME,
        stride: int = 1,
        zero: int = -128,
        bias: Array | str | None = "random",
    ) -> Tensor:
        """DEPTHWISE_CONV_2D."""
        filters = x.shape[3] * multiplier
        size = [window_output_size(padding, n, taps, stride, 1) for n in x.shape[1:3]]
        y = self.tensor((x.shape[0], *size, filters), zero)
        operands = self.operands(self.values(1, taps, taps, filters), 3, filters, quiet, bias)
        options = DepthwiseConv2DOptions(padding, stride, stride, multiplier, self._activation())
        self.b.operator("DEPTHWISE_CONV_2D", [x.index, *operands], [y.index], options)
        return y

    def dense(
        self,
        x: Tensor,
        units: int,
        *,
        quiet: Sequence[int] = (),
        zero: int = -128,
        bias: Array | str | None = "random",
    ) -> Tensor:
        """FULLY_CONNECTED over all that an image has."""
        depth = int(np.prod(x.shape[1:]))
        y = self.tensor((x.shape[0], units), zero)
        operands = self.operands(self.values(units, depth), 0, units, quiet, bias)
        options = FullyConnectedOptions(self._activation())
        self.b.operator("FULLY_CONNECTED", [x.index, *operands], [y.index], options)
        return y

    def add(self, a: Tensor, b: Tensor, zero: int = 0) -> Tensor:
        y = self.tensor(a.shape, zero)
        self.b.operator("ADD", [a.index, b.index], [y.index], AddOptions())
        return y

    def concat(self, *parts: Tensor) -> Tensor:
        shape = parts[0].shape
        y = self.tensor((*shape[:-1], sum(part.shape[-1] for part in parts)), -128)
        options = ConcatenationOptions(axis=len(shape) - 1)
        self.b.operator("CONCATENATION", [part.index for part in parts], [y.index], options)
        return y

    def reshape(self, x: Tensor, *shape: int) -> Tensor:
        y = self.tensor(shape, -128)
        wanted = self.b.constant(f"shape{y.index}", np.array(shape, np.int32))
        options = ReshapeOptions(tuple(shape))
        self.b.operator("RESHAPE", [x.index, wanted], [y.index], options)
        return y

    def unknown(self, x: Tensor) -> Tensor:
        y = self.tensor(x.shape)
        self.b.operator("SOMEBODYS", [x.index], [y.index], custom_options=b"")
        return y

    # -- constants

    def values(self, *shape: int) -> Array:
        low, high = (-8, 8) if self.weights == "int4" else (-128, 128)
        values = self.rng.integers(low, high, shape)
        values[values == 0] = 1
        return values.astype(np.int8)

    def operands(
        self, values: Array, axis: int, count: int, quiet: Sequence[int], bias: Array | str | None
    ) -> list[int]:
        self.count += 1
        scales = self.rng.uniform(0.5, 1, count) / (2 * values[0].size if axis == 0 else 64)
        data = pack_int4(values) if self.weights == "int4" else values
        w = self.b.constant(
            f"w{self.count}",
            data,
            self.weights,
            shape=values.shape,
            scale=scales,
            quantized_dimension=axis,
        )
        if bias is None:
            return [w]
        if isinstance(bias, str):
            bias = self.rng.integers(-3000, 3000, count)
            bias[list(quiet)] = LOW
        dtype = np.int32 if self.dtype == "int8" else np.int64
        how = {"scale": np.float32(scales * self.scale)}
        return [w, self.b.constant(f"b{self.count}", np.asarray(bias).astype(dtype), **how)]

    def _activation(self) -> int:
        # int16 has zero point 0: with a RELU the lowest number is real 0.
        return 1 if self.dtype == "int16" else 0
