"""Layers for random networks: each adds operators to a model and gives the tensor they end in.

Scales follow the values: what a layer computes fills a good part of its output's range.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.kernel_util import Padding, window_output_size
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.quantize import QuantizeOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.slice import SliceOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.transpose import TransposeOptions

Array = np.ndarray[Any, Any]
LOWEST = -128


class Value(NamedTuple):
    """A tensor of the network: its index, shape, scale (0 for floats) and zero point."""

    index: int
    shape: tuple[int, ...]
    scale: float = 0.0
    zero: int = 0


class Window(NamedTuple):
    """Taps (rows, columns), and what is the same along both axes."""

    taps: tuple[int, int]
    stride: int
    padding: int
    dilation: int = 1


class Layers:
    """Collects one network of ``kind`` (``"int8"`` or ``"float32"``) with a seed's weights."""

    def __init__(self, seed: int, kind: str = "int8") -> None:
        self.rng = np.random.default_rng(seed)
        self.kind = kind
        self.b = ModelBuilder()
        self._count = 0

    # -- choices

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def pick(self, *values: Any) -> Any:
        return values[int(self.rng.integers(len(values)))]

    # -- tensors

    def input(self, *shape: int) -> Value:
        how = self._how(float(self.rng.uniform(0.01, 0.1)), self._zero())
        index = self.b.input(self._name("x"), shape, self.kind, **how)
        return Value(index, shape, how.get("scale", 0.0), how.get("zero_point", 0))

    def output(self, value: Value) -> None:
        self.b.output(value.index)

    def tensor(self, shape: tuple[int, ...], scale: float, zero: int) -> Value:
        how = self._how(scale, zero)
        index = self.b.tensor(self._name("t"), shape, self.kind, **how)
        return Value(index, tuple(shape), how.get("scale", 0.0), how.get("zero_point", 0))

    def like(self, value: Value, shape: tuple[int, ...] | None = None) -> Value:
        return self.tensor(value.shape if shape is None else shape, value.scale, value.zero)

    def constant(self, values: Any, **how: Any) -> int:
        return self.b.constant(self._name("c"), values, **how)

    def values(self, shape: tuple[int, ...], scale: float, zero: int) -> Value:
        """A constant of the network's own type."""
        data: Array = self.rng.integers(-128, 128, shape)
        data = data.astype(np.int8) if self.kind == "int8" else (data / 32).astype(np.float32)
        how = self._how(scale, zero)
        return Value(self.constant(data, **how), shape, how.get("scale", 0.0), zero)

    def _how(self, scale: float, zero: int) -> dict[str, Any]:
        return (
            {"scale": float(np.float32(scale)), "zero_point": zero} if self.kind == "int8" else {}
        )

    def _scale(self) -> float:
        return float(self.rng.uniform(0.01, 0.1))

    def _zero(self) -> int:
        return int(self.pick(LOWEST, 0, int(self.rng.integers(-128, 128))))

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    # -- sums of products

    def conv(
        self,
        x: Value,
        filters: int,
        taps: tuple[int, int] = (3, 3),
        *,
        stride: int = 1,
        padding: int = Padding.SAME,
        activation: int = 0,
        dilation: int = 1,
        dead: float = 0.0,
        like: Value | None = None,
    ) -> Value:
        """CONV_2D; ``dead`` is the share of filters whose outputs never change.

        The output is quantised as ``like`` is.
        """
        out = self._window_shape(x, Window(taps, stride, padding, dilation), filters)
        options = Conv2DOptions(padding, stride, stride, activation, dilation, dilation)
        shape = (filters, *taps, x.shape[3])
        return self._products(
            "CONV_2D", x, shape, axis=0, out=out, options=options, dead=dead, like=like
        )

    def depthwise(
        self,
        x: Value,
        taps: tuple[int, int] = (3, 3),
        *,
        multiplier: int = 1,
        stride: int = 1,
        padding: int = Padding.SAME,
        activation: int = 0,
        dead: float = 0.0,
    ) -> Value:
        filters = x.shape[3] * multiplier
        out = self._window_shape(x, Window(taps, stride, padding), filters)
        options = DepthwiseConv2DOptions(padding, stride, stride, multiplier, activation)
        shape = (1, *taps, filters)
        return self._products(
            "DEPTHWISE_CONV_2D", x, shape, axis=3, out=out, options=options, dead=dead
        )

    def dense(self, x: Value, units: int, *, activation: int = 0, dead: float = 0.0) -> Value:
        depth = prod(x.shape) // x.shape[0]
        return self._products(
            "FULLY_CONNECTED",
            x,
            (units, depth),
            axis=0,
            out=(x.shape[0], units),
            options=FullyConnectedOptions(activation),
            dead=dead,
            per_channel=self.chance(0.3),
        )

    def _products(
        self,
        name: str,
        x: Value,
        shape: tuple[int, ...],
        *,
        axis: int,
        out: tuple[int, ...],
        options: OptionsTable,
        dead: float,
        per_channel: bool = True,
        like: Value | None = None,
    ) -> Value:
        filters = shape[axis]
        if self.kind == "float32":
            weights = self.rng.integers(-64, 65, shape) / np.float32(64)
            bias = self.rng.integers(-64, 65, filters) / np.float32(16)
            operands = [self.constant(v.astype(np.float32)) for v in (weights, bias)]
            y = self.tensor(out, 0.0, 0)
            self.b.operator(name, [x.index, *operands], [y.index], options)
            return y
        values = self.rng.integers(-127, 128, shape).astype(np.int8)
        scales = self.rng.uniform(0.3, 1, filters if per_channel else 1)
        taps = prod(shape) / filters
        # Behind a RELU most values are small, and some layers before may have made them smaller.
        spread = (20.0 if x.zero == LOWEST else 60.0) * 73.0 * np.sqrt(taps)
        scale = self._scale() if like is None else like.scale
        scales *= scale * self.rng.uniform(25, 80) / (x.scale * spread)
        bias = self.rng.normal(0, spread / 3, filters)
        if dead and per_channel:
            quiet = self.rng.random(filters) < dead
            scales = np.where(quiet, scales * 1e-7, scales)
            bias = np.where(quiet, bias * 1e7, bias)
        bias = np.clip(bias, -(2**30), 2**30).astype(np.int32)
        w = self.constant(values, scale=scales, quantized_dimension=axis)
        operands = [w, self.constant(bias, scale=np.float32(scales * x.scale))]
        zero = (
            LOWEST if getattr(options, "fused_activation_function", 0) in (1, 3) else self._zero()
        )
        y = self.tensor(out, scale, zero if like is None else like.zero)
        self.b.operator(name, [x.index, *operands], [y.index], options)
        return y

    # -- windows without weights

    def pool(
        self,
        x: Value,
        name: str = "AVERAGE_POOL_2D",
        taps: int = 2,
        *,
        padding: int = 0,
        stride: int | None = None,
        activation: int | None = None,
    ) -> Value:
        stride = self.pick(1, taps) if stride is None else stride
        shape = self._window_shape(x, Window((taps, taps), stride, padding), x.shape[3])
        y = self.like(x, shape)
        clamp = self.pick(0, 0, 1) if activation is None else activation
        options = Pool2DOptions(padding, stride, stride, taps, taps, clamp)
        self.b.operator(name, [x.index], [y.index], options)
        return y

    def mean(self, x: Value, axes: tuple[int, ...] = (1, 2)) -> Value:
        keep = self.chance(0.5)
        shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape) if keep or a not in axes)
        y = self.tensor(shape, x.scale * self.pick(1, 0.5), self.pick(x.zero, self._zero()))
        axis = self.constant(np.array(axes, np.int32))
        self.b.operator("MEAN", [x.index, axis], [y.index], ReducerOptions(keep))
        return y

    @staticmethod
    def _window_shape(x: Value, window: Window, channels: int) -> tuple[int, ...]:
        taps, stride, padding, dilation = window
        sizes = zip(x.shape[1:3], taps, strict=True)
        out = [window_output_size(padding, n, k, stride, dilation) for n, k in sizes]
        return x.shape[0], out[0], out[1], channels

    # -- element by element

    def add(
        self,
        a: Value,
        b: Value,
        *,
        activation: int = 0,
        name: str = "ADD",
        like: Value | None = None,
    ) -> Value:
        options = AddOptions(activation) if name == "ADD" else SubOptions(activation)
        if like is None:
            y = self.tensor(a.shape, float(np.hypot(a.scale, b.scale)), self._zero())
        else:
            y = self.like(like, a.shape)
        self.b.operator(name, [a.index, b.index], [y.index], options)
        return y

    def mul(self, a: Value, b: Value, *, activation: int = 0) -> Value:
        scale = float(np.clip(a.scale * b.scale * 90, 1e-4, 1.0))
        y = self.tensor(a.shape, scale, self._zero())
        self.b.operator("MUL", [a.index, b.index], [y.index], MulOptions(activation))
        return y

    def relu(self, x: Value, name: str = "RELU", *, same: bool = True) -> Value:
        y = self.like(x) if same else self.tensor(x.shape, x.scale * 0.7, self._zero())
        self.b.operator(name, [x.index], [y.index])
        return y

    def bound(self, x: Value, name: str, level: int) -> Value:
        """MAXIMUM or MINIMUM with a constant of one element."""
        value = np.array([level], np.int8 if self.kind == "int8" else np.float32)
        c = self.constant(value, **self._how(x.scale, x.zero))
        y = self.like(x)
        inputs = [x.index, c] if self.chance(0.5) else [c, x.index]
        self.b.operator(name, inputs, [y.index], MaximumMinimumOptions())
        return y

    def quantize(self, x: Value, scale: float, zero: int) -> Value:
        y = self.tensor(x.shape, scale, zero)
        self.b.operator("QUANTIZE", [x.index], [y.index], QuantizeOptions())
        return y

    def softmax(self, x: Value) -> Value:
        y = self.tensor(x.shape, 1 / 256, -128)
        self.b.operator("SOFTMAX", [x.index], [y.index], SoftmaxOptions(1.0))
        return y

    def unary(self, x: Value, name: str, scale: float = 1 / 256, zero: int = -128) -> Value:
        y = self.tensor(x.shape, scale, zero)
        self.b.operator(name, [x.index], [y.index])
        return y

    # -- moves

    def reshape(self, x: Value, shape: tuple[int, ...]) -> Value:
        y = self.like(x, shape)
        new_shape = self.constant(np.array(shape, np.int32))
        self.b.operator("RESHAPE", [x.index, new_shape], [y.index], ReshapeOptions(shape))
        return y

    def transpose(self, x: Value, order: tuple[int, ...]) -> Value:
        y = self.like(x, tuple(x.shape[a] for a in order))
        perm = self.constant(np.array(order, np.int32))
        self.b.operator("TRANSPOSE", [x.index, perm], [y.index], TransposeOptions())
        return y

    def pad(self, x: Value, pairs: tuple[tuple[int, int], ...]) -> Value:
        shape = tuple(n + a + b for n, (a, b) in zip(x.shape, pairs, strict=True))
        y = self.like(x, shape)
        paddings = self.constant(np.array(pairs, np.int32))
        self.b.operator("PAD", [x.index, paddings], [y.index], PadOptions())
        return y

    def cut(self, x: Value, begin: tuple[int, ...], size: tuple[int, ...]) -> Value:
        rest = (n - first for n, first in zip(x.shape, begin, strict=True))
        y = self.like(x, tuple(r if n < 0 else n for n, r in zip(size, rest, strict=True)))
        ends = [self.constant(np.array(v, np.int32)) for v in (begin, size)]
        self.b.operator("SLICE", [x.index, *ends], [y.index], SliceOptions())
        return y

    def concat(self, values: list[Value], axis: int = -1) -> Value:
        """Along an axis; values of other quantisation than the first one's are requantised."""
        first = values[0]
        same = [v if v[2:] == first[2:] else self.quantize(v, *first[2:]) for v in values]
        shape = list(first.shape)
        shape[axis] = sum(v.shape[axis] for v in same)
        y = self.like(first, tuple(shape))
        options = ConcatenationOptions(axis)
        self.b.operator("CONCATENATION", [v.index for v in same], [y.index], options)
        return y

    def split(self, x: Value, parts: int, axis: int) -> list[Value]:
        shape = list(x.shape)
        shape[axis] //= parts
        outputs = [self.like(x, tuple(shape)) for _ in range(parts)]
        index = self.constant(np.array(axis, np.int32))
        indices = [v.index for v in outputs]
        self.b.operator("SPLIT", [index, x.index], indices, SplitOptions(parts))
        return outputs

    def build(self, **more: Any) -> Model:
        return self.b.build(**more)
