"""Random quantisation, weights and windows for models with one convolution-like operator."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, TensorType
from arenite.ops.kernel_util import window_output_size
from arenite.runtime.heap_host import HeapInterpreter

Array = np.ndarray[Any, Any]
LARGEST = {"int8": 128, "int16": 32768}


@dataclass(frozen=True)
class Kind:
    """Types of activations, weights and bias ("none": there is no bias)."""

    x: str
    weights: str
    bias: str


FLOAT = [Kind("float32", "float32", bias) for bias in ("float32", "none")]
INT8 = [Kind("int8", weights, bias) for weights in ("int8", "int4") for bias in ("int32", "none")]
INT16 = [Kind("int16", "int8", bias) for bias in ("int64", "none")]
INT16_SHORT = [Kind("int16", "int8", "int32")]


@dataclass(frozen=True)
class Windows:
    """Geometry along both axes, ``(height, width)``."""

    size: tuple[int, int]
    filter: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: int
    output: tuple[int, int]


@st.composite
def windows(draw: st.DrawFn, dilations: tuple[int, ...] = (1, 1, 1, 2, 9)) -> Windows:
    """Windows that fit their images."""
    pair = st.tuples
    size = draw(pair(st.integers(1, 9), st.integers(1, 9)))
    taps = draw(pair(st.integers(1, 4), st.integers(1, 4)))
    stride = draw(pair(st.integers(1, 3), st.integers(1, 3)))
    dilation = draw(pair(st.sampled_from(dilations), st.sampled_from(dilations)))
    padding = draw(st.integers(0, 1))
    output = [
        window_output_size(padding, *axis)
        for axis in zip(size, taps, stride, dilation, strict=True)
    ]
    # A window that does not fit TFLM lets run over whatever output the file declares.
    assume(min(output) > 0)
    return Windows(size, taps, stride, dilation, padding, (output[0], output[1]))


def run(model: Model, *inputs: Any) -> Any:
    """The first output for the given inputs, as nested lists."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    for index, value in enumerate(inputs):
        interpreter.input(index)[...] = np.reshape(value, interpreter.input(index).shape)
    interpreter.invoke()
    return interpreter.output(0).tolist()


def exact_inputs(model: Model, seed: int) -> list[Array] | None:
    """Floats whose products with :class:`Operands` weights and their sums round nowhere.

    TFLM sums in float32, so that on other numbers its own error decides. None for integers:
    any will do.
    """
    if model.inputs[0].type is not TensorType.FLOAT32:
        return None
    rng = np.random.default_rng(seed)
    return [dyadic(rng, tensor.shape) for tensor in model.inputs]


def dyadic(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
    """Random multiples of 1/16 between -4 and 4."""
    return (rng.integers(-64, 64, shape, endpoint=True) / 16).astype(np.float32)


class Operands:
    """Adds the tensors of a convolution to a model: ``x``, ``weights``, ``bias``, ``y``."""

    def __init__(self, draw: st.DrawFn, kind: Kind) -> None:
        self.builder = ModelBuilder()
        self._draw, self._kind = draw, kind
        self._rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self._quantized = kind.x != "float32"
        self._extreme = draw(st.integers(0, 4)) == 0
        self._x_scale = 10.0 ** self._rng.uniform(-6, 3 if self._extreme else 0)
        self._acc_scale = self._acc_size = 1.0

    def x(self, shape: tuple[int, ...]) -> int:
        """The input."""
        if not self._quantized:
            return self.builder.input("x", shape, "float32")
        return self.builder.input(
            "x", shape, self._kind.x, scale=self._x_scale, zero_point=self._zero_point()
        )

    def weights(
        self,
        shape: tuple[int, ...],
        axis: int,
        *,
        per_channel: bool | None = None,
    ) -> int:
        """The weights; per channel along ``axis``, with scale 0 and tiny scales among them."""
        rng, kind = self._rng, self._kind
        if not self._quantized:
            return self.builder.constant("w", dyadic(rng, shape))
        if per_channel is None:
            per_channel = self._draw(st.booleans())
        scales = 10.0 ** rng.uniform(-3, -1, shape[axis] if per_channel else 1)
        if len(scales) > 1 and self._draw(st.booleans()):
            scales[rng.integers(len(scales))] = rng.choice([0.0, 1e-9, 1e-6])
        taps = int(np.prod(shape)) // shape[axis]
        low, high = (-8, 7) if kind.weights == "int4" else (-128, 127)
        values = rng.integers(low, high, shape, dtype=np.int8, endpoint=True)
        if self._draw(st.integers(0, 5)) == 0:
            values = np.full(shape, rng.choice([low, high]), np.int8)
        self._acc_scale = self._x_scale * float(scales.max())
        self._acc_size = LARGEST[kind.x] * high * np.sqrt(taps)
        self._scales = scales
        data = pack_int4(values) if kind.weights == "int4" else values
        zero_point = int(rng.choice([0, 0, low, high]))
        return self.builder.constant(
            "w",
            data,
            kind.weights,
            shape=shape,
            scale=scales,
            zero_point=zero_point,
            quantized_dimension=axis,
        )

    def bias(self, channels: int) -> list[int]:
        """The bias as a list of inputs: empty, absent (-1) or a constant."""
        kind, rng = self._kind, self._rng
        if kind.bias == "none":
            return self._draw(st.sampled_from([[], [-1]]))
        if kind.bias == "float32":
            return [self.builder.constant("b", dyadic(rng, channels))]
        size = self._acc_size * rng.choice([0.1, 1, 30])
        values = rng.uniform(-size, size, channels)
        limits = np.iinfo(kind.bias)
        values = np.clip(values, limits.min * 0.99, limits.max * 0.99).astype(kind.bias)
        scale = np.float32(self._scales * self._x_scale)
        return [self.builder.constant("b", values, scale=scale)]

    def y(self, shape: tuple[int, ...]) -> int:
        """The output: its scale fits the sums, or is extreme."""
        if not self._quantized:
            return self.builder.tensor("y", shape, "float32")
        low, high = (-6, 3) if self._extreme else (-1.5, 1.5)
        scale = 10.0 ** self._rng.uniform(low, high)
        if not self._extreme:
            scale *= self._acc_scale * self._acc_size / LARGEST[self._kind.x]
        # Larger ratios are refused: their shift is not defined in C.
        scale = max(scale, self._acc_scale / 2.0 ** (13 if self._kind.x == "int16" else 29))
        return self.builder.tensor(
            "y", shape, self._kind.x, scale=scale, zero_point=self._zero_point()
        )

    def _zero_point(self) -> int:
        if self._kind.x == "int16":
            return int(self._rng.choice([0, 0, self._rng.integers(-32768, 32768)]))
        return int(self._rng.choice([-128, 127, 0, self._rng.integers(-128, 128)]))


def pack_int4(values: Array) -> Array:
    """int4 values as bytes, low nibble first."""
    flat = values.reshape(-1) & 0xF
    flat = np.append(flat, 0) if len(flat) % 2 else flat
    return (flat[0::2] | flat[1::2] << 4).astype(np.uint8)
