"""Random models of one operator whose output may begin below its input, and plans for them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.kernel_util import window_output_size
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.dequantize import DequantizeOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.transpose import TransposeOptions
from tests.ops.differential import one_operator

Rng = np.random.Generator
Array = np.ndarray[Any, Any]
#: Where tensors are that are neither the output nor the input that it lies on.
ELSEWHERE = 1 << 14


class Layer:
    """A builder with one input and one output of int8 or float32."""

    def __init__(self, rng: Rng, kind: str) -> None:
        self.b, self.rng, self.kind = ModelBuilder(), rng, kind

    def quantized(self, zero_point: int = 0, scale: float = 0.05) -> dict[str, Any]:
        """A scale for int8, nothing for float32."""
        return {"scale": scale, "zero_point": zero_point} if self.kind != "float32" else {}

    def x(self, shape: tuple[int, ...], **quantized: Any) -> int:
        """An input."""
        return self.b.input("x", shape, self.kind, **(quantized or self.quantized(-3)))

    def weights(self, shape: tuple[int, ...], channels: int, axis: int) -> list[int]:
        """Weights and a bias that make outputs differ for every input."""
        rng = self.rng
        if self.kind == "float32":
            values = rng.integers(-8, 8, shape) / 4
            return [
                self.b.constant("w", values.astype(np.float32)),
                self.b.constant("b", rng.integers(-8, 8, channels).astype(np.float32)),
            ]
        scale = np.full(channels, 0.02)
        return [
            self.b.constant(
                *("w", rng.integers(-127, 128, shape, dtype=np.int8)),
                scale=scale,
                zero_point=0,
                quantized_dimension=axis,
            ),
            self.b.constant(
                "b", rng.integers(-99, 99, channels, dtype=np.int32), scale=scale * 0.05
            ),
        ]

    def done(self, name: str, inputs: list[int], shape: tuple[int, ...], options: Any) -> Model:
        """The model; the output's scale lets few values saturate."""
        output = self.b.tensor("y", shape, self.kind, **self.quantized(2, 0.1))
        return self.finish(name, inputs, output, options)

    def finish(self, name: str, inputs: list[int], output: int, options: Any) -> Model:
        """The model with an output that is there."""
        self.b.operator(name, inputs, [output], options)
        self.b.output(output)
        return self.b.build()


def _window(rng: Rng, most: int = 8, dilated: bool = True) -> tuple[list[tuple[int, ...]], int]:
    """Size, taps, stride and dilation along both axes, and the padding."""
    while True:
        size, taps = rng.integers(1, most, 2), rng.integers(1, 4, 2)
        if rng.random() < 0.3:
            taps[:] = rng.choice([1, 3])
        stride = rng.choice([1, 1, 2, 3], 2)
        dilation = rng.choice([1, 1, 1, 2], 2) if dilated else np.ones(2, int)
        padding = int(rng.integers(2))
        axes = [tuple(map(int, axis)) for axis in zip(size, taps, stride, dilation, strict=True)]
        if min(window_output_size(padding, *axis) for axis in axes) > 0:
            return axes, padding


def _outputs(axes: list[tuple[int, ...]], padding: int) -> tuple[int, ...]:
    return tuple(window_output_size(padding, *axis) for axis in axes)


def conv(rng: Rng, kind: str = "int8", channels: int = 9) -> Model:
    """CONV_2D, grouped now and then."""
    axes, padding = _window(rng)
    (h, kh, sh, dh), (w, kw, sw, dw) = axes
    depth, out = map(int, rng.integers(1, channels, 2))
    groups = 2 if depth % 2 == 0 and out % 2 == 0 and rng.random() < 0.2 else 1
    layer = Layer(rng, kind)
    x = layer.x((1, h, w, depth))
    parts = layer.weights((out, kh, kw, depth // groups), out, 0)
    options = Conv2DOptions(
        padding=padding, stride_h=sh, stride_w=sw, dilation_h_factor=dh, dilation_w_factor=dw
    )
    return layer.done("CONV_2D", [x, *parts], (1, *_outputs(axes, padding), out), options)


def pointwise(rng: Rng, kind: str = "int8", channels: int = 9) -> Model:
    """CONV_2D of one tap."""
    h, w, depth, out = (int(n) for n in (*rng.integers(1, 8, 2), *rng.integers(1, channels, 2)))
    stride, dilation = (int(n) for n in (rng.choice([1, 1, 2]), rng.choice([1, 1, 2])))
    layer = Layer(rng, kind)
    x = layer.x((1, h, w, depth))
    parts = layer.weights((out, 1, 1, depth), out, 0)
    options = Conv2DOptions(
        padding=1, stride_h=stride, stride_w=stride, dilation_h_factor=1, dilation_w_factor=dilation
    )
    size = -(-h // stride), -(-w // stride)
    return layer.done("CONV_2D", [x, *parts], (1, *size, out), options)


def depthwise(rng: Rng, kind: str = "int8", channels: int = 9) -> Model:
    """DEPTHWISE_CONV_2D, with 3 x 3 taps or others."""
    axes, padding = _window(rng, dilated=rng.random() < 0.3)
    (h, kh, sh, dh), (w, kw, sw, dw) = axes
    depth, multiplier = int(rng.integers(1, channels)), int(rng.choice([1, 1, 1, 2, 4]))
    out = depth * multiplier
    layer = Layer(rng, kind)
    x = layer.x((1, h, w, depth))
    parts = layer.weights((1, kh, kw, out), out, 3)
    options = DepthwiseConv2DOptions(
        padding=padding,
        stride_h=sh,
        stride_w=sw,
        dilation_h_factor=dh,
        dilation_w_factor=dw,
        depth_multiplier=multiplier,
    )
    return layer.done("DEPTHWISE_CONV_2D", [x, *parts], (1, *_outputs(axes, padding), out), options)


def pool(rng: Rng, name: str, kind: str = "int8", channels: int = 20) -> Model:
    """A pooling; of all of the image now and then."""
    axes, padding = _window(rng, dilated=False)
    if rng.random() < 0.2:
        axes, padding = [(n, n, 1, 1) for n, *_ in axes], 1
    (h, kh, sh, _), (w, kw, sw, _) = axes
    depth = int(rng.integers(1, channels))
    layer = Layer(rng, kind)
    same = layer.quantized(-3)
    x = layer.x((1, h, w, depth), **same)
    options = Pool2DOptions(
        padding=padding, stride_h=sh, stride_w=sw, filter_height=kh, filter_width=kw
    )
    y = layer.b.tensor("y", (1, *_outputs(axes, padding), depth), kind, **same)
    return layer.finish(name, [x], y, options)


def dense(rng: Rng, kind: str = "int8") -> Model:
    """FULLY_CONNECTED on some rows."""
    rows, depth, units = map(int, rng.integers(1, 9, 3))
    layer = Layer(rng, kind)
    x = layer.x((rows, depth))
    parts = layer.weights((units, depth), units, 0)
    return layer.done("FULLY_CONNECTED", [x, *parts], (rows, units), FullyConnectedOptions())


def padded(rng: Rng, kind: str = "int8") -> Model:
    """PAD."""
    shape = tuple(map(int, rng.integers(1, 5, 4)))
    pads = rng.integers(0, 3, (4, 2), dtype=np.int32)
    layer = Layer(rng, kind)
    x = layer.x(shape, **layer.quantized(-3))
    pads_at = layer.b.constant("pads", pads)
    out = tuple(int(n + sum(pad)) for n, pad in zip(shape, pads, strict=True))
    y = layer.b.tensor("y", out, kind, **layer.quantized(-3))
    return layer.finish("PAD", [x, pads_at], y, PadOptions())


def transposed(rng: Rng, kind: str = "int8") -> Model:
    """TRANSPOSE of two to four axes."""
    rank = int(rng.integers(2, 5))
    shape, perm = tuple(map(int, rng.integers(1, 6, rank))), rng.permutation(rank).astype(np.int32)
    layer = Layer(rng, kind)
    x = layer.x(shape, **layer.quantized(-3))
    order = layer.b.constant("perm", perm)
    y = layer.b.tensor("y", [shape[axis] for axis in perm], kind, **layer.quantized(-3))
    return layer.finish("TRANSPOSE", [x, order], y, TransposeOptions())


def binary(rng: Rng, name: str, options: Any, kind: str = "int8") -> Model:
    """Two inputs of one shape, or the second one broadcast."""
    shape = tuple(map(int, rng.integers(1, 6, 3)))
    other = (1, 1, shape[2]) if rng.random() < 0.3 else shape
    layer = Layer(rng, kind)
    same = layer.quantized(-3)
    inputs = [layer.x(shape, **same), layer.b.input("x2", other, kind, **same)]
    out = same if "IMUM" in name else layer.quantized(2, 0.1)
    y = layer.b.tensor("y", shape, kind, **out)
    return layer.finish(name, inputs, y, options)


def unary(rng: Rng, name: str, options: Any, types: tuple[str, str], scale: float = 0.1) -> Model:
    """One input; the output may have wider elements."""
    shape = (int(rng.integers(1, 5)), int(rng.integers(1, 40)))
    b = ModelBuilder()
    inner = {} if types[0] == "float32" else {"scale": 0.05, "zero_point": -3}
    outer = {} if types[1] == "float32" else {"scale": scale, "zero_point": -128}
    if types[1] == "int16":
        outer["zero_point"] = -32768 if name == "SOFTMAX" else 0
    x = b.input("x", shape, types[0], **inner)
    y = b.tensor("y", shape, types[1], **outer)
    return one_operator(b, name, [x], [y], options)


def view(rng: Rng, kind: str = "int8") -> Model:
    """RESHAPE."""
    shape = tuple(map(int, rng.integers(1, 6, 3)))
    layer = Layer(rng, kind)
    x = layer.x(shape, **layer.quantized(-3))
    y = layer.b.tensor("y", (shape[0] * shape[1], shape[2]), kind, **layer.quantized(-3))
    return layer.finish("RESHAPE", [x], y, ReshapeOptions())


Make = Callable[[Rng], Model]
CASES: dict[str, Make] = {
    "conv": conv,
    "conv_float": lambda rng: conv(rng, "float32"),
    "pointwise": pointwise,
    "pointwise_float": lambda rng: pointwise(rng, "float32"),
    "depthwise": depthwise,
    "depthwise_float": lambda rng: depthwise(rng, "float32"),
    "average_pool": lambda rng: pool(rng, "AVERAGE_POOL_2D"),
    "average_pool_float": lambda rng: pool(rng, "AVERAGE_POOL_2D", "float32"),
    "max_pool": lambda rng: pool(rng, "MAX_POOL_2D"),
    "dense": dense,
    "dense_float": lambda rng: dense(rng, "float32"),
    "pad": padded,
    "pad_float": lambda rng: padded(rng, "float32"),
    "transpose": transposed,
    "add": lambda rng: binary(rng, "ADD", AddOptions()),
    "add_float": lambda rng: binary(rng, "ADD", AddOptions(), "float32"),
    "mul": lambda rng: binary(rng, "MUL", MulOptions()),
    "maximum": lambda rng: binary(rng, "MAXIMUM", MaximumMinimumOptions()),
    "relu": lambda rng: unary(rng, "RELU", None, ("int8", "int8")),
    "logistic": lambda rng: unary(rng, "LOGISTIC", None, ("int8", "int8"), 1 / 256),
    "softmax": lambda rng: unary(rng, "SOFTMAX", SoftmaxOptions(beta=1.0), ("int8",) * 2, 1 / 256),
    "softmax_wide": lambda rng: unary(
        rng, "SOFTMAX", SoftmaxOptions(beta=1.0), ("int8", "int16"), 1 / 65536
    ),
    "dequantize": lambda rng: unary(rng, "DEQUANTIZE", DequantizeOptions(), ("int8", "float32")),
    "quantize": lambda rng: unary(rng, "QUANTIZE", None, ("float32", "int8")),
    "requantize_wide": lambda rng: unary(rng, "QUANTIZE", None, ("int8", "int16")),
    "cast": lambda rng: unary(rng, "CAST", CastOptions(), ("int8", "float32")),
    "reshape": view,
}


def planned(model: Model, distance: int, base: int = 0) -> Model:
    """The first input begins ``distance`` bytes above the output, which begins at ``base``."""
    graph = model.main
    offsets = []
    for index, tensor in enumerate(graph.tensors):
        if index == graph.outputs[0]:
            offsets.append(base)
        elif index == graph.operators[0].inputs[0]:
            offsets.append(base + distance)
        else:
            offsets.append(-1 if tensor.is_constant else ELSEWHERE + 4096 * index)
    values = np.array([1, 1, len(offsets), *offsets], "<i4")
    return replace(model, metadata={**model.metadata, OFFLINE_METADATA: values.tobytes()})


def inputs_of(model: Model, rng: Rng) -> list[Array]:
    """Random inputs, of numbers that float sums hold exactly."""
    return [
        (rng.integers(-40, 40, t.shape) / 8).astype(np.float32)
        if str(t.type) == "float32"
        else rng.integers(-128, 128, t.shape, dtype=np.int8)
        for t in model.inputs
    ]
