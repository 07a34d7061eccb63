"""Random models in the corners where CMSIS-NN's results are not those of TFLM's reference."""

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable, TensorType
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.ops.lstm import lstm

Rng = np.random.Generator
INFERENCES = 3


def single(
    name: str, x: Any, constants: list[Any], y: Any, options: OptionsTable | None = None
) -> Model:
    """An operator on ``x``; tensors are ``(shape or values, type, quantisation)``."""
    b = ModelBuilder()
    inputs = [b.input("x", x[0], x[1], **x[2])]
    inputs += [
        b.constant(f"c{place}", values, **how) for place, (values, how) in enumerate(constants)
    ]
    output = b.tensor("y", y[0], y[1], **y[2])
    b.operator(name, inputs, [output], options)
    b.output(output)
    return b.build()


def lstm_of(kind: str, cell_scale: float, spread: float = 0.3) -> Callable[[Rng], Model]:
    """Cells that are scaled finely leave int16."""
    zeros = (0, 0) if kind == "int16" else (3, -2)

    def make(rng: Rng) -> Model:
        return lstm(
            kind,
            rng,
            batches=int(rng.integers(1, 3)),
            steps=int(rng.integers(1, 5)),
            time_major=bool(rng.integers(2)),
            cell_scale=cell_scale,
            spread=spread,
            zeros=zeros,
        )

    return make


def lstm_that_saturates_far(rng: Rng) -> Model:
    """int16 whose gates' scales are much too coarse for what is summed."""
    return lstm(
        "int16",
        rng,
        batches=int(rng.integers(1, 3)),
        steps=int(rng.integers(1, 5)),
        time_major=bool(rng.integers(2)),
        spread=3.0,
        zeros=(0, 0),
    )


def svdf(rng: Rng, zero_point: int = 0, state_scale: float = 0.05) -> Model:
    """An int8 state, which is too narrow for what its filters give it."""
    rank, units = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    inputs, memory, filters = int(rng.integers(1, 9)), int(rng.integers(1, 6)), rank * units
    b = ModelBuilder()
    tensors = [
        b.input("x", (1, inputs), "int8", scale=0.05, zero_point=3),
        b.constant("feature", rng.integers(-128, 128, (filters, inputs), np.int8), scale=0.05),
        b.constant("time", rng.integers(-128, 128, (filters, memory), np.int8), scale=0.05),
        b.constant("bias", rng.integers(-900, 900, units, np.int32), scale=0.05 * state_scale),
        b.variable(
            "state", (1, filters * memory), "int8", scale=state_scale, zero_point=zero_point
        ),
    ]
    y = b.tensor("y", (1, units), "int8", scale=1.0, zero_point=-5)
    b.operator("SVDF", tensors, [y], SVDFOptions(rank, 0))
    b.output(y)
    return b.build()


def dense(
    rng: Rng,
    *,
    kind: str = "int8",
    weights: str = "int8",
    batch: tuple[int, ...] = (2,),
    scales: bool = False,
    bias: bool = True,
    zero_point: int = 7,
    bias_type: int = 0,
) -> Model:
    """Weights with a zero point."""
    units, depth = int(rng.integers(1, 9)), 4 * int(rng.integers(1, 6))
    how: dict[str, Any] = {"scale": 0.02, "zero_point": zero_point}
    if scales:
        how = {"scale": rng.uniform(0.01, 0.03, units).tolist(), "zero_point": [zero_point] * units}
    data = rng.integers(-128, 128, (units, depth), np.int8)
    if weights == "int4":
        data = rng.integers(0, 256, (units * depth + 1) // 2).astype(np.uint8)
        how |= {"type": "int4", "shape": (units, depth)}
    sums = rng.integers(-9000, 9000, units).astype(np.int64 if kind == "int16" else np.int32)
    x = {"scale": 0.001 if kind == "int16" else 0.1, "zero_point": 0 if kind == "int16" else -3}
    return single(
        "FULLY_CONNECTED",
        ((*batch, depth), kind, x),
        [(data, how), *([(sums, {"scale": 0.02 * x["scale"]})] if bias else [])],
        ((*batch, units), kind, {"scale": 0.004 if kind == "int16" else 0.9}),
        FullyConnectedOptions(keep_num_dims=len(batch) > 1, quantized_bias_type=bias_type),
    )


def conv_int16_without_bias(rng: Rng) -> Model:
    """Multipliers of 32 bits and of 16 differ."""
    channels, filters, taps = (int(n) for n in rng.integers(1, 6, 3))
    size = taps + int(rng.integers(0, 5))
    outputs = size - taps + 1
    scales = rng.uniform(0.01, 0.03, filters).tolist()
    data = rng.integers(-128, 128, (filters, taps, taps, channels), np.int8)
    return single(
        "CONV_2D",
        ((1, size, size, channels), "int16", {"scale": 0.001}),
        [(data, {"scale": scales, "zero_point": [0] * filters})],
        ((1, outputs, outputs, filters), "int16", {"scale": 0.004}),
        Conv2DOptions(padding=1, stride_w=1, stride_h=1),
    )


def softmax_of_one(rng: Rng) -> Model:
    """Rows of one int16."""
    shape = (int(rng.integers(1, 5)), 1)
    scale = {"scale": float(rng.uniform(0.001, 1))}
    y = (shape, "int16", {"scale": 1 / 32768})
    return single("SOFTMAX", (shape, "int16", scale), [], y, SoftmaxOptions(beta=1.0))


def small_quotients(rng: Rng) -> Model:
    """Arm shifts out what x86 shifts by other numbers; TFLM's own kernel on all targets."""
    shape = tuple(int(n) for n in rng.integers(1, 6, 3))
    x = {"scale": float(10 ** rng.uniform(-4, 0)), "zero_point": int(rng.integers(-20, 20))}
    y = {"scale": float(10 ** rng.uniform(-1, 2)), "zero_point": int(rng.integers(-20, 20))}
    divisor = rng.integers(-128, 127, shape, np.int8)
    constant = (divisor, {"scale": 1.0, "zero_point": 127})
    return single("DIV", (shape, "int8", x), [constant], (shape, "int8", y), DivOptions())


def transpose_to_its_own_order(rng: Rng) -> Model:
    """Two dimensions."""
    shape = tuple(int(n) for n in rng.integers(1, 9, 2))
    same = {"scale": 0.5}
    order = (np.array([0, 1], np.int32), {})
    return single(
        "TRANSPOSE", (shape, "int8", same), [order], (shape, "int8", same), TransposeOptions()
    )


def transposed_under_large_filters(rng: Rng) -> Model:
    """More padding above than all rows of the images give."""
    images, filters, depth = (int(n) for n in rng.integers(1, 4, 3))
    rows, columns = (int(n) for n in rng.integers(1, 4, 2))
    taps = (2 * rows + 3 + int(rng.integers(0, 3)), int(rng.integers(1, 5)))
    data = rng.integers(-128, 128, (filters, *taps, depth), np.int8)
    shape = (images, rows, columns, filters)
    b = ModelBuilder()
    inputs = [
        b.constant("shape", np.array(shape, np.int32)),
        b.constant("w", data, scale=0.02),
        b.input("x", (images, rows, columns, depth), "int8", scale=0.1, zero_point=5),
        b.constant("b", rng.integers(-900, 900, filters).astype(np.int32), scale=0.002),
    ]
    y = b.tensor("y", shape, "int8", scale=0.8, zero_point=-3)
    b.operator("TRANSPOSE_CONV", inputs, [y], TransposeConvOptions(0, 1, 1))
    b.output(y)
    return b.build()


def matmul_that_saturates_far(rng: Rng) -> Model:
    """int16 on an output scale that is much too fine."""
    rows, depth, columns = (int(n) for n in rng.integers(1, 7, 3))
    b = ModelBuilder()
    x = b.input("x", (rows, depth), "int16", scale=0.01)
    data = rng.integers(-32768, 32768, (depth, columns), np.int16)
    w = b.constant("w", data, scale=0.01)
    scale = float(10 ** rng.uniform(-6, -4))
    y = b.tensor("y", (rows, columns), "int16", scale=scale)
    b.operator("BATCH_MATMUL", [x, w], [y], BatchMatMulOptions(adj_x=False, adj_y=False))
    b.output(y)
    return b.build()


def line_with_a_pixel_left_over(rng: Rng) -> Model:
    """Vectors put padding in its place."""
    images, filters = (int(n) for n in rng.integers(1, 6, 2))
    channels, taps = 2 * int(rng.integers(1, 9)), int(rng.integers(2, 6))
    outputs = int(rng.integers(1, 9))
    pixels = 2 * (outputs - 1) + taps + 1
    data = rng.integers(-128, 128, (filters, 1, taps, channels), np.int8)
    scales = rng.uniform(0.01, 0.03, filters).tolist()
    return single(
        "CONV_2D",
        ((images, 1, pixels, channels), "int8", {"scale": 0.1, "zero_point": 9}),
        [
            (data, {"scale": scales, "zero_point": [0] * filters}),
            (rng.integers(-900, 900, filters).astype(np.int32), {"scale": 0.002}),
        ],
        ((images, 1, outputs, filters), "int8", {"scale": 3.0}),
        Conv2DOptions(padding=1, stride_w=2, stride_h=1),
    )


def int4(rng: Rng, shape: tuple[int, ...], dimension: int = 0) -> tuple[Any, dict[str, Any]]:
    """Weights with a scale per channel; two to a byte."""
    size, channels = int(np.prod(shape)), shape[dimension]
    data = rng.integers(0, 256, (size + 1) // 2).astype(np.uint8)
    if size % 2:
        data[-1] &= 15
    scale = rng.uniform(0.01, 0.03, channels).tolist()
    how = {"type": "int4", "shape": shape, "quantized_dimension": dimension}
    return data, {**how, "scale": scale, "zero_point": [0] * channels}


def bias(rng: Rng, channels: int) -> tuple[Any, dict[str, Any]]:
    return rng.integers(-900, 900, channels).astype(np.int32), {"scale": 0.002}


def depthwise_int4_of_odd_channels(rng: Rng) -> Model:
    """Several images, a dilation, or a depth multiplier."""
    channels, images = 2 * int(rng.integers(0, 4)) + 1, int(rng.integers(1, 3))
    dilation, by = int(rng.integers(1, 3)), int(rng.integers(1, 5))
    rows, columns = (int(n) for n in rng.integers(1, 4, 2))
    size, filters = tuple(int(n) for n in rng.integers(2, 7, 2)), channels * by
    weights = int4(rng, (1, rows, columns, filters), 3)
    options = DepthwiseConv2DOptions(
        0, 1, 1, by, dilation_h_factor=dilation, dilation_w_factor=dilation
    )
    return single(
        "DEPTHWISE_CONV_2D",
        ((images, *size, channels), "int8", {"scale": 0.1, "zero_point": 9}),
        [weights, bias(rng, filters)],
        ((images, *size, filters), "int8", {"scale": 0.03, "zero_point": -3}),
        options,
    )


def line_of_int4_and_odd_channels(rng: Rng) -> Model:
    """Vectors take the low half of a byte at both ends of a line."""
    images, filters = (int(n) for n in rng.integers(1, 6, 2))
    channels, outputs = 2 * int(rng.integers(0, 3)) + 1, int(rng.integers(3, 9))
    taps = int(rng.integers(5, 9))
    pixels = 4 * outputs
    return single(
        "CONV_2D",
        ((images, 1, pixels, channels), "int8", {"scale": 0.1, "zero_point": 9}),
        [int4(rng, (filters, 1, taps, channels)), bias(rng, filters)],
        ((images, 1, outputs, filters), "int8", {"scale": 0.05, "zero_point": -3}),
        Conv2DOptions(padding=0, stride_w=4, stride_h=1),
    )


def int4_in_twos_and_threes(rng: Rng) -> Model:
    """Positions that are left over of fours."""
    images, filters, channels = (int(n) for n in rng.integers(1, 6, 3))
    rows, columns, taps, stride = (int(n) for n in rng.integers(1, 4, 4))
    outputs = (rows + 1, 2 * columns + 1)
    size = [(n - 1) * stride + taps for n in outputs]
    return single(
        "CONV_2D",
        ((images, *size, channels), "int8", {"scale": 0.1, "zero_point": 9}),
        [int4(rng, (filters, taps, taps, channels)), bias(rng, filters)],
        ((images, *outputs, filters), "int8", {"scale": 0.05, "zero_point": -3}),
        Conv2DOptions(padding=1, stride_w=stride, stride_h=stride),
    )


CORNERS: dict[str, Callable[[Rng], Model]] = {
    "lstm int8": lstm_of("int8", 2.0**-11),
    "lstm int8, cells that leave int16": lstm_of("int8", 1e-5),
    "lstm int8, gates that leave int16": lstm_of("int8", 2.0**-11, spread=2.0),
    "lstm int16": lstm_of("int16", 2.0**-11),
    "lstm int16 that saturates far": lstm_that_saturates_far,
    "svdf, a narrow state": svdf,
    "svdf, a state with a zero point": lambda rng: svdf(rng, zero_point=-20, state_scale=1.0),
    "dense int8 as convolution": lambda rng: dense(rng, batch=(2, 3)),
    "dense int8 per unit": lambda rng: dense(rng, scales=True),
    "dense int4": lambda rng: dense(rng, weights="int4", zero_point=3),
    "dense int16": lambda rng: dense(rng, kind="int16"),
    "dense int16 without bias": lambda rng: dense(
        rng, kind="int16", bias=False, zero_point=0, bias_type=TensorType.INT32
    ),
    "conv int16 without bias": conv_int16_without_bias,
    "line with a pixel left over": line_with_a_pixel_left_over,
    "depthwise int4 of odd channels": depthwise_int4_of_odd_channels,
    "line of int4 and odd channels": line_of_int4_and_odd_channels,
    "int4 in twos and threes": int4_in_twos_and_threes,
    "softmax of one": softmax_of_one,
    "transposed convolution under large filters": transposed_under_large_filters,
    "matmul int16 that saturates far": matmul_that_saturates_far,
    "small quotients": small_quotients,
    "transpose to its own order": transpose_to_its_own_order,
}


def case(corner: str, seed: int) -> tuple[Model, list[np.ndarray[Any, Any]]]:
    """A model in a corner, and inputs for some inferences."""
    rng = np.random.default_rng([seed, *corner.encode()])
    model = CORNERS[corner](rng)
    tensor = model.inputs[0]
    info = np.iinfo(tensor.type.dtype)
    return model, [
        rng.integers(info.min, info.max, tensor.shape, tensor.type.dtype, endpoint=True)
        for _ in range(INFERENCES)
    ]
