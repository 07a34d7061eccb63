"""Models with one operator whose channels, depths and units fill several vectors.

They leave a rest behind the last whole vector. The operators' own tests draw small models.
"""

from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.ops.lstm import lstm

Shape = tuple[int, ...]

SPREAD = {"int8": 74.0, "int16": 18919.0, "float32": 1.0}
BIAS = {"int8": np.int32, "int16": np.int64, "float32": np.float32}


def random(rng: np.random.Generator, kind: str, shape: Shape) -> np.ndarray[Any, Any]:
    if kind == "float32":
        return rng.normal(size=shape).astype(np.float32)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def weighted(
    name: str,
    kind: str,
    shapes: tuple[Shape, Shape, Shape],
    options: OptionsTable,
    *,
    depth: int,
    axis: int = 0,
    fed: bool = False,
) -> Model:
    """An operator with weights and a bias; ``depth`` products make a sum.

    ``shapes`` are the input's, the weights' and the output's. ``fed``: the weights are an
    input of the model.
    """
    rng, b = np.random.default_rng(0), ModelBuilder()
    weight_kind = "float32" if kind == "float32" else "int8"
    channels = shapes[1][axis]
    scales = 0.05, 0.01
    size = scales[0] * scales[1] * SPREAD[kind] * SPREAD[weight_kind] * depth**0.5
    quantized = kind != "float32"
    x = b.input("x", shapes[0], kind, **(_at(scales[0], kind, -7) if quantized else {}))
    values = random(rng, weight_kind, shapes[1])
    bias = (rng.normal(size=channels) * size / (scales[0] * scales[1])).astype(BIAS[kind])
    per_weight, per_bias = (
        ({"scale": scales[1]}, {"scale": scales[0] * scales[1]}) if quantized else ({}, {})
    )
    if fed:
        weights = b.input("w", shapes[1], weight_kind, **per_weight)
    else:
        weights = b.constant("w", values, **per_weight)
    inputs = [weights, b.constant("b", bias, **per_bias)]
    y = b.tensor("y", shapes[2], kind, **(_at(3 * size / SPREAD[kind], kind, 5)))
    operands = [x, *inputs]
    if name == "TRANSPOSE_CONV":
        shape = b.constant("shape", np.array(shapes[2], np.int32))
        operands = [shape, inputs[0], x, inputs[1]]
    b.operator(name, operands, [y], options)
    b.output(y)
    return b.build()


def _at(scale: float, kind: str, zero_point: int) -> dict[str, Any]:
    if kind == "float32":
        return {}
    return {"scale": scale, "zero_point": zero_point if kind == "int8" else 0}


def plain(
    name: str,
    kind: str,
    shapes: tuple[Shape, Shape],
    options: OptionsTable | None,
    *more: Any,
    **y: Any,
) -> Model:
    """An operator on one input, with constants behind it; ``y`` is the output's quantisation."""
    b = ModelBuilder()
    quantization = _at(0.05 if kind == "int8" else 2e-4, kind, -7)
    x = b.input("x", shapes[0], kind, **quantization)
    constants = [b.constant(f"c{i}", value) for i, value in enumerate(more)]
    output = b.tensor("y", shapes[1], y.pop("output", kind), **(y or quantization))
    custom = b"" if name.startswith("MNN_") else None
    b.operator(name, [x, *constants], [output], options, custom_options=custom)
    b.output(output)
    return b.build()


def convolution(kind: str, **changes: Any) -> Model:
    shapes = ((1, 9, 7, 40), (50, 3, 3, 40), (1, 9, 7, 50))
    return weighted("CONV_2D", kind, shapes, Conv2DOptions(0, 1, 1), depth=360, **changes)


def strided_convolution(kind: str) -> Model:
    shapes = ((2, 19, 15, 40), (50, 3, 3, 40), (2, 10, 8, 50))
    return weighted("CONV_2D", kind, shapes, Conv2DOptions(0, 2, 2), depth=360)


def grouped_convolution(kind: str) -> Model:
    shapes = ((2, 5, 6, 66), (40, 2, 3, 33), (2, 4, 4, 40))
    return weighted("CONV_2D", kind, shapes, Conv2DOptions(1, 1, 1), depth=198)


def pointwise(kind: str) -> Model:
    shapes = ((2, 5, 5, 33), (70, 1, 1, 33), (2, 5, 5, 70))
    return weighted("CONV_2D", kind, shapes, Conv2DOptions(0, 1, 1), depth=33)


def depthwise(kind: str, **changes: Any) -> Model:
    shapes = ((1, 11, 9, 75), (1, 3, 5, 75), (1, 6, 5, 75))
    options = DepthwiseConv2DOptions(0, 2, 2, 1)
    return weighted("DEPTHWISE_CONV_2D", kind, shapes, options, depth=15, axis=3, **changes)


def multiplied_depthwise(kind: str) -> Model:
    shapes = ((2, 6, 6, 23), (1, 3, 3, 69), (2, 6, 6, 69))
    options = DepthwiseConv2DOptions(0, 1, 1, 3)
    return weighted("DEPTHWISE_CONV_2D", kind, shapes, options, depth=9, axis=3)


def fully_connected(kind: str, **changes: Any) -> Model:
    shapes = ((11, 700), (37, 700), (11, 37))
    return weighted("FULLY_CONNECTED", kind, shapes, FullyConnectedOptions(), depth=700, **changes)


def transposed_convolution(kind: str, **changes: Any) -> Model:
    shapes = ((2, 5, 6, 150), (20, 3, 3, 150), (2, 10, 12, 20))
    options = TransposeConvOptions(0, 2, 2)
    return weighted("TRANSPOSE_CONV", kind, shapes, options, depth=150 * 4, **changes)


def batched_product(kind: str) -> Model:
    b = ModelBuilder()
    x = b.input("x", (2, 1, 19, 70), kind, **_at(0.05, kind, 3))
    y = b.input("y", (3, 33, 70), kind, **_at(0.01, kind, -4))
    size = 0.05 * 0.01 * SPREAD[kind] * 70**0.5
    out = b.tensor("out", (2, 3, 19, 33), kind, **_at(3 * size, kind, 5))
    b.operator("BATCH_MATMUL", [x, y], [out], BatchMatMulOptions(adj_y=True))
    b.output(out)
    return b.build()


def pooling(name: str, kind: str) -> Model:
    options = Pool2DOptions(0, 2, 2, 7, 5)
    return plain(name, kind, ((1, 12, 13, 75), (1, 6, 7, 75)), options)


def whole_average(kind: str) -> Model:
    options = Pool2DOptions(1, 1, 1, 90, 100)
    return plain("AVERAGE_POOL_2D", kind, ((1, 100, 90, 3), (1, 1, 1, 3)), options)


def mean(kind: str, *axes: int) -> Model:
    shape = (3, 9, 8, 75)
    kept = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    return plain("MEAN", kind, (shape, kept), ReducerOptions(), np.array(axes, np.int32))


def softmax(kind: str, output: str) -> Model:
    y = {("int8", "int8"): (1 / 256, -128), ("int8", "int16"): (1 / 65536, -32768)}
    scale, zero_point = y.get((kind, output), (1 / 32768, 0))
    quantization = {} if kind == "float32" else {"scale": scale, "zero_point": zero_point}
    shapes = (3, 200), (3, 200)
    return plain("SOFTMAX", kind, shapes, SoftmaxOptions(1.0), output=output, **quantization)


def svdf(kind: str, state: str, memory: int) -> Model:
    rng, b = np.random.default_rng(memory), ModelBuilder()
    is_float = kind == "float32"

    def at(scale: float, zero_point: int = 0) -> dict[str, Any]:
        return {} if is_float else {"scale": scale, "zero_point": zero_point}

    x = b.input("x", (2, 41), kind, **at(0.05, 3))
    feature = b.constant("feature", random(rng, kind, (74, 41)), **at(0.01))
    time = b.constant("time", random(rng, state, (74, memory)), **at(0.01))
    state_scale = 0.01 if state == "int16" else 0.1
    if is_float:
        bias = b.constant("bias", random(rng, kind, (37,)))
    else:
        bias = b.constant("bias", np.arange(37, dtype=np.int32) * 100, **at(state_scale * 0.01))
    history = b.variable("state", (2, 74 * memory), state, **at(state_scale))
    y = b.tensor("y", (2, 37), kind, **at(30.0, -2))
    b.operator("SVDF", [x, feature, time, bias, history], [y], SVDFOptions(2))
    b.output(y)
    return b.build()


def recurrent(kind: str, batches: int) -> Model:
    rng = np.random.default_rng(batches)
    zeros = (3, -2) if kind == "int8" else (0, 0)
    return lstm(kind, rng, batches=batches, steps=11, inputs=150, units=37, spread=0, zeros=zeros)


def resizing(kind: str) -> Model:
    shapes = (1, 5, 4, 41), (1, 9, 11, 41)
    size = np.array([9, 11], np.int32)
    return plain("RESIZE_BILINEAR", kind, shapes, ResizeBilinearOptions(), size)


def transposition(kind: str) -> Model:
    shapes = (3, 37, 41, 2), (41, 3, 37, 2)
    return plain("TRANSPOSE", kind, shapes, TransposeOptions(), np.array([2, 0, 1, 3], np.int32))


def repetition(kind: str) -> Model:
    shapes = (3, 1, 7, 5), (6, 4, 7, 15)
    return plain("MNN_TILE", kind, shapes, None, np.array([2, 4, 1, 3], np.int32))


KINDS = ("int8", "int16", "float32")
#: How to build each model: function, arguments, keyword arguments.
CASES: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    f"{case.__name__} {kind}": (case, (kind,), {})
    for case in (
        *(convolution, strided_convolution, grouped_convolution, pointwise),
        *(depthwise, multiplied_depthwise),
        *(
            fully_connected,
            transposed_convolution,
            batched_product,
            whole_average,
            transposition,
            repetition,
        ),
    )
    for kind in KINDS
}
CASES |= {
    f"fed {case.__name__} {kind}": (case, (kind,), {"fed": True})
    for case in (convolution, depthwise, fully_connected, transposed_convolution)
    for kind in KINDS
}
CASES |= {
    f"{name} {kind}": (pooling, (name, kind), {})
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")
    for kind in KINDS
}
CASES |= {
    f"mean {kind} {axes}": (mean, (kind, *axes), {})
    for kind in KINDS
    for axes in ((1, 2), (3,), (0, 2), (0, 1, 2, 3))
}
CASES |= {
    f"softmax {x} {y}": (softmax, (x, y), {})
    for x, y in (("int8", "int8"), ("int8", "int16"), ("int16", "int16"), ("float32", "float32"))
}
CASES |= {
    f"svdf {x} {state} {memory}": (svdf, (x, state, memory), {})
    for x, state in (("int8", "int8"), ("int8", "int16"), ("float32", "float32"))
    for memory in (1, 8, 10, 16, 32)
}
CASES |= {
    f"lstm {kind} {batches}": (recurrent, (kind, batches), {})
    for kind in KINDS
    for batches in (1, 3)
}
CASES |= {f"resizing {kind}": (resizing, (kind,), {}) for kind in ("int8", "float32")}


def build(case: str) -> Model:
    """The model of a case."""
    function, arguments, changes = CASES[case]
    model: Model = function(*arguments, **changes)
    return model
