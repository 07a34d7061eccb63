"""One small model per kernel that TFLM has with CMSIS-NN, and per type that it treats apart."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.ops.lstm import lstm
from tests.ops.svdf import svdf

Shape = tuple[int, ...]
WIDE = {"int8": np.int32, "int16": np.int64, "float32": np.float32}


def scale(kind: str, value: float | Sequence[float] = 0.5) -> dict[str, Any]:
    return {} if kind == "float32" else {"scale": value}


def operator(
    name: str,
    kind: str,
    shapes: tuple[Sequence[Shape], Shape],
    options: OptionsTable | None = None,
    *,
    constants: Sequence[tuple[str, np.ndarray[Any, Any], dict[str, Any]]] = (),
    first: int = 0,
    output: dict[str, Any] | None = None,
) -> Model:
    """Activations of ``shapes`` (inputs, output), with ``constants`` from input ``first`` on."""
    b = ModelBuilder()
    inputs = [b.input(f"x{i}", s, kind, **scale(kind)) for i, s in enumerate(shapes[0])]
    if first == 0:
        inputs += [b.constant(name, data, **how) for name, data, how in constants]
    else:
        inputs = [b.constant(name, data, **how) for name, data, how in constants[:first]] + inputs
        inputs += [b.constant(name, data, **how) for name, data, how in constants[first:]]
    y = b.tensor("y", shapes[1], kind, **(scale(kind) if output is None else output))
    b.operator(name, inputs, [y], options)
    b.output(y)
    return b.build()


def weights_and_bias(
    kind: str, shape: Shape, filters: int, weights: str = ""
) -> list[tuple[str, np.ndarray[Any, Any], dict[str, Any]]]:
    weights = weights or ("float32" if kind == "float32" else "int8")
    how = scale(kind, 0.1)
    data = np.ones(shape, np.int8 if weights == "int4" else weights)
    if weights == "int4":
        data = np.zeros((int(np.prod(shape)) + 1) // 2, np.uint8)
        how = {**how, "type": "int4", "shape": shape}
    return [("w", data, how), ("b", np.zeros(filters, WIDE[kind]), scale(kind, 0.05))]


def conv(kind: str, weights: str = "", taps: int = 3, channels: int = 3) -> Model:
    constants = weights_and_bias(kind, (5, taps, taps, channels), 5, weights)
    shapes = [(1, 6, 7, channels)], (1, 6, 7, 5)
    return operator("CONV_2D", kind, shapes, Conv2DOptions(0, 1, 1), constants=constants)


def line() -> Model:
    constants = weights_and_bias("int8", (5, 1, 4, 4), 5)
    shapes = [(1, 1, 10, 4)], (1, 1, 10, 5)
    return operator("CONV_2D", "int8", shapes, Conv2DOptions(0, 1, 1), constants=constants)


def depthwise(
    kind: str, weights: str = "", taps: tuple[int, int] = (5, 3), channels: int = 6, by: int = 1
) -> Model:
    filters = channels * by
    constants = weights_and_bias(kind, (1, *taps, filters), filters, weights)
    shapes = [(1, 6, 7, channels)], (1, 6, 7, filters)
    options = DepthwiseConv2DOptions(0, 1, 1, by)
    return operator("DEPTHWISE_CONV_2D", kind, shapes, options, constants=constants)


def dense(kind: str, weights: str = "", batch: Shape = (2,), scales: int = 1) -> Model:
    constants = weights_and_bias(kind, (10, 12), 10, weights)
    if scales > 1:
        constants = [(n, d, {**how, "scale": [0.1] * scales}) for n, d, how in constants]
    options = FullyConnectedOptions(keep_num_dims=len(batch) > 1)
    shapes = [(*batch, 12)], (*batch, 10)
    return operator("FULLY_CONNECTED", kind, shapes, options, constants=constants)


def pool(name: str, kind: str) -> Model:
    shapes = [(1, 6, 6, 10)], (1, 3, 3, 10)
    return operator(name, kind, shapes, Pool2DOptions(1, 2, 2, 2, 2))


def softmax(kind: str) -> Model:
    how = {"int8": {"scale": 1 / 256, "zero_point": -128}, "int16": {"scale": 1 / 32768}}
    shapes = [(2, 10)], (2, 10)
    return operator("SOFTMAX", kind, shapes, SoftmaxOptions(beta=1.0), output=how.get(kind, {}))


def pair(name: str, kind: str, options: OptionsTable | None) -> Model:
    return operator(name, kind, ([(1, 4, 4, 3)] * 2, (1, 4, 4, 3)), options)


def matmul(kind: str, adj_x: bool, adj_y: bool) -> Model:
    left, right = (2, 4, 3) if adj_x else (2, 3, 4), (2, 5, 4) if adj_y else (2, 4, 5)
    options = BatchMatMulOptions(adj_x, adj_y)
    return operator("BATCH_MATMUL", kind, ([left, right], (2, 3, 5)), options)


def transposed(kind: str, channels: int) -> Model:
    weights, bias = weights_and_bias(kind, (2, 3, 3, channels), 2)
    shape = ("shape", np.array([1, 8, 10, 2], np.int32), {})
    shapes = [(1, 4, 5, channels)], (1, 8, 10, 2)
    options = TransposeConvOptions(0, 2, 2)
    constants = [shape, weights, bias]
    return operator("TRANSPOSE_CONV", kind, shapes, options, constants=constants, first=2)


def pad() -> Model:
    paddings = ("paddings", np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32), {})
    shapes = [(1, 4, 4, 3)], (1, 6, 6, 3)
    return operator("PAD", "int8", shapes, PadOptions(), constants=[paddings])


def transpose() -> Model:
    order = ("perm", np.array([0, 2, 1, 3], np.int32), {})
    shapes = [(1, 4, 5, 3)], (1, 5, 4, 3)
    return operator("TRANSPOSE", "int8", shapes, TransposeOptions(), constants=[order])


def recurrent(kind: str) -> Model:
    return lstm(kind, np.random.default_rng(0), zeros=(0, 0) if kind == "int16" else (3, -2))


def reverse_of_int64() -> Model:
    """What nobody has measured: its cost is not known."""
    b = ModelBuilder()
    x, axis = b.input("x", (3,), "int64"), b.constant("axis", np.array([0], np.int32))
    y = b.tensor("y", (3,), "int64")
    b.operator("REVERSE_V2", [x, axis], [y])
    b.output(y)
    return b.build()


MODELS: dict[str, Callable[[], Model]] = {
    "conv int8": lambda: conv("int8"),
    "conv int8 1x1": lambda: conv("int8", taps=1),
    "conv int8 line": line,
    "conv int4": lambda: conv("int8", "int4"),
    "conv int16": lambda: conv("int16"),
    "conv float32": lambda: conv("float32"),
    "depthwise int8": lambda: depthwise("int8"),
    "depthwise int8 3x3": lambda: depthwise("int8", taps=(3, 3)),
    "depthwise int8 one channel": lambda: depthwise("int8", channels=1, by=6),
    "depthwise int4": lambda: depthwise("int8", "int4", taps=(3, 3)),
    "depthwise int16": lambda: depthwise("int16"),
    "depthwise float32": lambda: depthwise("float32"),
    "dense int8": lambda: dense("int8"),
    "dense int8 per unit": lambda: dense("int8", scales=10),
    "dense int8 3 dimensions": lambda: dense("int8", batch=(2, 3)),
    "dense int4": lambda: dense("int8", "int4"),
    "dense int16": lambda: dense("int16"),
    "dense float32": lambda: dense("float32"),
    "average pool int8": lambda: pool("AVERAGE_POOL_2D", "int8"),
    "average pool int16": lambda: pool("AVERAGE_POOL_2D", "int16"),
    "average pool float32": lambda: pool("AVERAGE_POOL_2D", "float32"),
    "max pool int8": lambda: pool("MAX_POOL_2D", "int8"),
    "softmax int8": lambda: softmax("int8"),
    "softmax int16": lambda: softmax("int16"),
    "add int8": lambda: pair("ADD", "int8", AddOptions()),
    "mul int8": lambda: pair("MUL", "int8", MulOptions()),
    "maximum int8": lambda: pair("MAXIMUM", "int8", MaximumMinimumOptions()),
    "svdf int8": lambda: svdf("int8"),
    "svdf int16 state": lambda: svdf("int16"),
    "svdf float32": lambda: svdf("float32"),
    "matmul int8": lambda: matmul("int8", False, False),
    "matmul int8 both transposed": lambda: matmul("int8", True, True),
    "matmul int16": lambda: matmul("int16", True, False),
    "matmul float32": lambda: matmul("float32", False, False),
    "transposed int8 few": lambda: transposed("int8", 4),
    "transposed int8 many": lambda: transposed("int8", 20),
    "transposed int16": lambda: transposed("int16", 4),
    "transposed float32": lambda: transposed("float32", 4),
    "lstm int8": lambda: recurrent("int8"),
    "lstm int16": lambda: recurrent("int16"),
    "lstm float32": lambda: recurrent("float32"),
    "pad int8": pad,
    "transpose int8": transpose,
}
