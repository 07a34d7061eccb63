"""Random models of the kinds that TFLM, or a revision of it, does not run, and LiteRT does."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, Quantization, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import builtin
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.while_ import WhileOptions
from arenite.optimize.lowerings import GeluOptions, OneHotOptions
from tests.ops.lstm import lstm

Rng = np.random.Generator
Kind = Callable[[Rng], Model]


class Net(ModelBuilder):
    """A builder with a few shorthands."""

    def __init__(self, rng: Rng) -> None:
        super().__init__()
        self.rng = rng

    def floats(self, *shape: int) -> np.ndarray[Any, Any]:
        return self.rng.normal(0, 1, shape).astype(np.float32)

    def op(self, name: str, inputs: list[int], shape: tuple[int, ...], kind="float32", **more):
        """An operator, and its output's number."""
        scale, zero = more.pop("scale", None), more.pop("zero_point", 0)
        out = self.tensor(f"t{len(self._tensors)}", shape, kind, scale=scale, zero_point=zero)
        row, version = more.pop("row", None), more.pop("version", 1)
        row = row or getattr(builtin(name), "options", None)
        self.operator(name, inputs, [out], None if row is None else row(**more), version=version)
        return out

    def ended(self, *outputs: int) -> Model:
        for output in outputs:
            self.output(output)
        return self.build()

    def weights(self, shape: tuple[int, ...], axis: int, bits: int = 8) -> int:
        """Integers with one scale, or one for each slice along an axis."""
        most = 127 if bits == 8 else 7
        values = self.rng.integers(-most, most, shape, endpoint=True).astype(np.int8)
        # LiteRT runs a hybrid DEPTHWISE_CONV_2D with a scale per channel only.
        count = shape[axis] if axis == 3 or self.rng.random() < 0.5 else 1
        fan_in = np.prod(shape) / shape[axis]
        scales = self.rng.uniform(0.5, 1.5, count) * 1.7 / most / np.sqrt(fan_in)
        if bits == 8:
            return self.constant("w", values, scale=scales, quantized_dimension=axis)
        flat = np.append(values.reshape(-1), np.zeros(values.size % 2, np.int8)).astype(np.uint8)
        packed = (flat[::2] & 15) | (flat[1::2] << 4)
        meant = {"scale": scales, "quantized_dimension": axis}
        return self.constant("w", packed, "int4", shape=shape, **meant)

    def image(self) -> tuple[int, tuple[int, ...]]:
        shape = (1, *map(int, self.rng.integers(4, 9, 2)), int(self.rng.integers(1, 6)))
        return self.input("x", shape, "float32"), shape

    def row(self, kind: str = "float32", **more: Any) -> tuple[int, tuple[int, ...]]:
        """An input of one to three dimensions."""
        rank = int(self.rng.integers(1, 4))
        shape = tuple(map(int, self.rng.integers(1, 7, rank)))
        return self.input("x", shape, kind, **more), shape


# -- hybrid layers, float16 ---------------------------------------------------------------


def hybrid_fully_connected(rng: Rng, bits: int = 8) -> Model:
    net = Net(rng)
    depth, units = map(int, rng.integers(4, 40, 2))
    x = net.input("x", (1, depth), "float32")
    bias = net.constant("b", net.floats(units))
    y = net.op("FULLY_CONNECTED", [x, net.weights((units, depth), 0, bits), bias], (1, units))
    z = net.op("FULLY_CONNECTED", [y, net.weights((5, units), 0, bits), -1], (1, 5))
    return net.ended(z)


def hybrid_int4(rng: Rng) -> Model:
    net = Net(rng)
    depth, units = map(int, rng.integers(2, 20, 2) * 2)
    x = net.input("x", (1, depth), "float32")
    y = net.op("FULLY_CONNECTED", [x, net.weights((units, depth), 0, 4), -1], (1, units))
    return net.ended(y)


def hybrid_conv_2d(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.image()
    filters = int(rng.integers(2, 9))
    weights = net.weights((filters, 3, 3, shape[3]), 0)
    bias = net.constant("b", net.floats(filters))
    relu = int(rng.choice([0, 1, 3]))
    steps = {"stride_h": 1, "stride_w": 1, "fused_activation_function": relu}
    y = net.op("CONV_2D", [x, weights, bias], (*shape[:3], filters), **steps)
    return net.ended(y)


def hybrid_depthwise(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.image()
    times = int(rng.integers(1, 3))
    weights = net.weights((1, 3, 3, shape[3] * times), 3)
    bias = net.constant("b", net.floats(shape[3] * times))
    options = {"stride_h": 1, "stride_w": 1, "depth_multiplier": times}
    y = net.op("DEPTHWISE_CONV_2D", [x, weights, bias], (*shape[:3], shape[3] * times), **options)
    return net.ended(y)


def hybrid_network(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.image()
    side = {"stride_h": 1, "stride_w": 1, "fused_activation_function": 1}
    bias = net.constant("b", net.floats(8))
    y = net.op("CONV_2D", [x, net.weights((8, 3, 3, shape[3]), 0), bias], (*shape[:3], 8), **side)
    weights = net.weights((1, 3, 3, 8), 3)
    y = net.op("DEPTHWISE_CONV_2D", [y, weights, bias], (*shape[:3], 8), depth_multiplier=1, **side)
    axes = net.constant("axes", np.array([1, 2], np.int32))
    y = net.op("MEAN", [y, axes], (1, 8))
    y = net.op("FULLY_CONNECTED", [y, net.weights((4, 8), 0), -1], (1, 4))
    return net.ended(net.op("SOFTMAX", [y], (1, 4), beta=1.0))


def hybrid_batch_matmul(rng: Rng) -> Model:
    net = Net(rng)
    rows, depth, columns = map(int, rng.integers(2, 9, 3))
    x = net.input("x", (1, rows, depth), "float32")
    values = rng.integers(-127, 128, (1, depth, columns)).astype(np.int8)
    weights = net.constant("w", values, scale=1 / 300)
    return net.ended(net.op("BATCH_MATMUL", [x, weights], (1, rows, columns)))


def hybrid_transpose_conv(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.image()
    out = (1, shape[1] * 2, shape[2] * 2, 3)
    told = net.constant("n", np.array(out, np.int32))
    options = {"stride_h": 2, "stride_w": 2}
    weights = net.weights((3, 2, 2, shape[3]), 0)
    return net.ended(net.op("TRANSPOSE_CONV", [told, weights, x], out, **options))


def hybrid_lstm(rng: Rng) -> Model:
    """A float LSTM with its matrices as int8."""
    made = lstm("float32", rng)
    tensors = tuple(
        _as_int8(tensor) if tensor.is_constant and len(tensor.shape) == 2 else tensor
        for tensor in made.main.tensors
    )
    return replace(made, subgraphs=(replace(made.main, tensors=tensors),))


def _as_int8(tensor: Tensor) -> Tensor:
    value = tensor.value
    assert value is not None
    scale = np.abs(value).max() / 127
    data = constant_bytes(np.rint(value / scale).astype(np.int8))
    meant = Quantization(np.array([scale], np.float32), np.array([0], np.int64))
    return replace(tensor, type=TensorType.INT8, data=data, quantization=meant)


def float16_weights(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.image()
    filters = int(rng.integers(2, 9))
    halves = [
        net.constant("w", net.floats(filters, 3, 3, shape[3]).astype(np.float16)),
        net.constant("b", net.floats(filters).astype(np.float16)),
    ]
    wide = [net.op("DEQUANTIZE", [half], net._tensors[half].shape) for half in halves]
    y = net.op("CONV_2D", [x, *wide], (*shape[:3], filters), stride_h=1, stride_w=1)
    return net.ended(y)


# -- shapes -------------------------------------------------------------------------------


def computed_fill(rng: Rng) -> Model:
    """A FILL whose shape is computed from the input's, as recurrent layers have it."""
    net = Net(rng)
    x = net.input("x", (1, int(rng.integers(2, 9))), "float32")
    units = int(rng.integers(2, 9))
    zero = net.constant("zero", np.float32(rng.normal()))
    filled = net.op("FILL", [_packed(net, x, [units]), zero], (1, units))
    weights = net.constant("w", net.floats(units, net._tensors[x].shape[1]))
    y = net.op("FULLY_CONNECTED", [x, weights, -1], (1, units))
    return net.ended(net.op("ADD", [y, filled], (1, units)))


def _packed(net: Net, x: int, rest: list[int]) -> int:
    """The first dimension of a tensor's shape, and constants, as a shape."""
    rank = len(net._tensors[x].shape)
    shape = net.op("SHAPE", [x], (rank,), "int32", out_type=2)
    ends = [net.constant("at", np.array([n], np.int32)) for n in (0, 1, 1)]
    first = net.op("STRIDED_SLICE", [shape, *ends], (), "int32", shrink_axis_mask=1)
    values = [net.constant("n", np.int32(n)) for n in rest]
    return net.op(
        "PACK", [first, *values], (1 + len(rest),), "int32", values_count=1 + len(rest), axis=0
    )


def open_shape(rng: Rng) -> Model:
    """Columns twice, as UpSampling2D of a free batch: a height that the file leaves open."""
    net = Net(rng)
    x, shape = net.image()
    _, rows, columns, depth = shape
    axis = net.constant("axis", np.int32(3))
    y = net.op("EXPAND_DIMS", [x, axis], (1, rows, columns, 1, depth))
    counts = net.constant("n", np.array([1, 1, 1, 2, 1], np.int32))
    y = net.op("TILE", [y, counts], (1, rows, columns, 2, depth))
    told = net.op("SHAPE", [x], (4,), "int32", out_type=2)
    ends = [net.constant("at", np.array([n], np.int32)) for n in (0, 2, 1)]
    first = net.op("STRIDED_SLICE", [told, *ends], (2,), "int32")
    last = net.constant("n", np.array([2 * columns, depth], np.int32))
    told = net.op("CONCATENATION", [first, last], (4,), "int32", axis=0)
    y = net.op("RESHAPE", [y, told], (1, 1, 2 * columns, depth))
    z = net.op("TANH", [y], (1, 1, 2 * columns, depth))
    for index in (y, z):
        free = (-1, -1, 2 * columns, depth)
        net._tensors[index] = replace(net._tensors[index], shape_signature=free)
    return net.ended(z)


def sequence_in_a_loop(rng: Rng) -> Model:
    """A loop that writes a row of its output in every round, as Keras 3 writes an RNN."""
    steps, units = (int(n) for n in rng.integers(2, 7, 2))
    shape = (steps, 1, units)
    main, condition, body = Net(rng), Net(rng), Net(rng)
    x = main.input("x", shape, "float32")
    state = [main.constant("time", np.int32(0)), main.constant("rows", np.zeros(shape, np.float32))]
    ports = ("int32", ()), ("float32", shape), ("float32", shape)
    after = [main.tensor(f"after {n}", size, kind) for n, (kind, size) in enumerate(ports)]
    main.operator("WHILE", [*state, x], after, WhileOptions(1, 2))
    main.output(after[1])

    time, *_ = (condition.input(f"i{n}", size, kind) for n, (kind, size) in enumerate(ports))
    end = condition.constant("steps", np.int32(steps))
    condition.output(condition.op("LESS", [time, end], (), "bool"))

    time, rows, x = (body.input(f"i{n}", size, kind) for n, (kind, size) in enumerate(ports))
    following = body.op("ADD", [time, body.constant("one", np.int32(1))], (), "int32")
    row = body.op("TANH", [body.op("GATHER", [x, time], (1, units))], (1, units))
    told = body.constant("n", np.array([1, 1, units], np.int32))
    parts = [
        _rows(body, rows, time, is_head=True),
        body.op("RESHAPE", [row, told], (1, 1, units)),
        _rows(body, rows, following, is_head=False),
    ]
    for output in (following, body.op("CONCATENATION", parts, shape, axis=0), x):
        body.output(output)
    return main.build(subgraphs=[condition.subgraph(), body.subgraph()])


def _rows(body: Net, rows: int, index: int, *, is_head: bool) -> int:
    """Rows of an array before an index, or from it on."""
    one = body.constant("n", np.ones(1, np.int32))
    told = body.op("RESHAPE", [index, one], (1,), "int32")
    rest = body.constant("rest", np.full(2, -1 if is_head else 0, np.int32))
    joined = body.op("CONCATENATION", [told, rest], (3,), "int32", axis=0)
    whole = body.constant("whole", np.full(3, 0 if is_head else -1, np.int32))
    ends = [whole, joined] if is_head else [joined, whole]
    out = body.op("SLICE", [rows, *ends], (1, 1, 1))
    body._tensors[out] = replace(body._tensors[out], shape_signature=(-1, -1, -1))
    return out


def rank_and_range(rng: Rng) -> Model:
    """The sum of all values over all axes, which RANK and RANGE count."""
    net = Net(rng)
    x, shape = net.row()
    count = net.op("RANK", [x], (), "int32")
    ends = [net.constant("n", np.int32(n)) for n in (0, 1)]
    axes = net.op("RANGE", [ends[0], count, ends[1]], (len(shape),), "int32")
    return net.ended(net.op("SUM", [x, axes], (), keep_dims=False))


# -- operators that TFLM lacks ------------------------------------------------------------


def gelu(approximate: bool) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row()
        return net.ended(net.op("GELU", [x], shape, row=GeluOptions, approximate=approximate))

    return made


def of_bytes(name: str, low: float, high: float, *, same: bool = False, **more: Any) -> Kind:
    """A function of int8 whose output has scales that hold values from ``low`` to ``high``."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        scale = float(rng.uniform(0.005, 0.05))
        zero = int(rng.integers(-128, 128))
        x, shape = net.row("int8", scale=scale, zero_point=zero)
        out = {"scale": float((high - low) / 255 * rng.uniform(0.7, 1.3))}
        out["zero_point"] = int(np.clip(round(-128 - low / out["scale"]), -128, 127))
        if same and rng.random() < 0.5:
            out = {"scale": scale, "zero_point": zero}
        return net.ended(net.op(name, [x], shape, "int8", **out, **more))

    return made


def of_floats(name: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row()
        return net.ended(net.op(name, [x], shape))

    return made


def tile(kind: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        scale = {"scale": 0.1, "zero_point": 3} if kind == "int8" else {}
        x, shape = net.row(kind, **scale)
        counts = rng.choice([1, 2, 3], len(shape)).astype(np.int32)
        counts[rng.integers(len(shape))] = rng.choice([1, 13, 27])
        out = tuple(int(n * m) for n, m in zip(shape, counts, strict=True))
        told = net.constant("n", counts)
        return net.ended(net.op("TILE", [x, told], out, kind, **scale))

    return made


def select(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row()
    y = net.input("y", shape, "float32")
    if rng.random() < 0.5:
        condition = net.op("GREATER", [x, y], shape, "bool")
    else:
        condition = net.constant("c", rng.random(shape[0]) < 0.5)
    return net.ended(net.op("SELECT", [condition, x, y], shape))


def select_int32(rng: Rng) -> Model:
    """An index below 0 counts from the end, as Keras 3 looks up an embedding."""
    net = Net(rng)
    shape = tuple(map(int, rng.integers(1, 6, 2)))
    x = net.input("x", shape, "int32")
    end, limit = (net.constant("n", np.int32(n)) for n in (5, rng.integers(0, 4)))
    below = net.op("LESS", [x, limit], shape, "bool")
    moved = net.op("ADD", [x, end], shape, "int32")
    return net.ended(net.op("SELECT", [below, moved, x], shape, "int32"))


def mask(rng: Rng) -> Model:
    """Values where a row of conditions, with a dimension more, holds."""
    net = Net(rng)
    rows, columns = map(int, rng.integers(1, 6, 2))
    x = net.input("x", (rows, columns), "float32")
    zero = net.constant("zero", np.float32(0))
    some = net.op("GREATER", [x, zero], (rows, columns), "bool")
    axis = net.constant("axis", np.int32(1))
    some = net.op("EXPAND_DIMS", [some, axis], (rows, 1, columns), "bool")
    told = net.constant("n", np.array([rows, 1, columns], np.int32))
    yes = net.op("FILL", [told, net.constant("yes", np.bool_(True))], (rows, 1, columns), "bool")
    both = net.op("LOGICAL_AND", [some, yes], (rows, 1, columns), "bool")
    return net.ended(net.op("SELECT_V2", [both, x, zero], (rows, rows, columns)))


def taken_shape(rng: Rng) -> Model:
    """RESHAPE to products of dimensions, as a tensor product of a free batch computes them."""
    net = Net(rng)
    x, shape = net.image()
    told = net.op("SHAPE", [x], (4,), "int32", out_type=2)
    zero = net.constant("axis", np.array([0], np.int32))
    sizes = []
    for axes in ([0, 1, 2], [3]):
        indices = net.constant("axes", np.array(axes, np.int32))
        some = net.op("GATHER", [told, indices], (len(axes),), "int32")
        size = net.op("REDUCE_PROD", [some, zero], (), "int32", row=ReducerOptions)
        sizes.append(size)
    told = net.op("PACK", sizes, (2,), "int32", values_count=2, axis=0)
    rows = int(np.prod(shape[:3]))
    return net.ended(net.op("RESHAPE", [x, told], (rows, shape[3])))


def one_hot(rng: Rng) -> Model:
    net = Net(rng)
    shape, depth = tuple(map(int, rng.integers(1, 5, 2))), int(rng.integers(1, 6))
    x = net.input("x", shape, "int32")
    ends = [net.constant("n", np.int32(depth)), *(net.constant("v", net.floats()) for _ in "ab")]
    axis = int(rng.integers(-1, 3))
    at = axis % 3
    out = (*shape[:at], depth, *shape[at:])
    return net.ended(net.op("ONE_HOT", [x, *ends], out, row=OneHotOptions, axis=axis))


def power(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row()
    exponent = float(rng.choice([2, 3, 0.5, -0.5, -1]))
    if exponent not in (2, 3):
        one = net.constant("one", np.float32(1))
        x = net.op("ADD", [net.op("ABS", [x], shape), one], shape)
    told = net.constant("n", np.float32(exponent))
    return net.ended(net.op("POW", [x, told], shape))


def reduce_any(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (3, 4), "bool")
    axis = net.constant("axis", np.array([rng.integers(0, 2)], np.int32))
    out = (1, 4) if net._tensors[axis].value[0] == 0 else (3, 1)
    options = {"row": ReducerOptions, "keep_dims": True}
    return net.ended(net.op("REDUCE_ANY", [x, axis], out, "bool", **options))


#: Kinds that today's TFLM does not run, by name.
KINDS: dict[str, Kind] = {
    "FULLY_CONNECTED, hybrid": hybrid_fully_connected,
    "FULLY_CONNECTED, hybrid, int4": hybrid_int4,
    "CONV_2D, hybrid": hybrid_conv_2d,
    "DEPTHWISE_CONV_2D, hybrid": hybrid_depthwise,
    "TRANSPOSE_CONV, hybrid": hybrid_transpose_conv,
    "UNIDIRECTIONAL_SEQUENCE_LSTM, hybrid": hybrid_lstm,
    "networks, hybrid": hybrid_network,
    "BATCH_MATMUL, hybrid": hybrid_batch_matmul,
    "float16 weights": float16_weights,
    "FILL of a computed shape": computed_fill,
    "a shape that the file leaves open": open_shape,
    "a sequence that a loop writes": sequence_in_a_loop,
    "RANK, RANGE": rank_and_range,
    "GELU": gelu(False),
    "GELU, approximate": gelu(True),
    "GELU, int8": of_bytes("GELU", -0.2, 5, row=GeluOptions),
    "GELU, approximate, int8": of_bytes("GELU", -0.2, 5, row=GeluOptions, approximate=True),
    "EXP, int8": of_bytes("EXP", 0, 20),
    "RELU_0_TO_1": of_floats("RELU_0_TO_1"),
    "RELU_0_TO_1, int8": of_bytes("RELU_0_TO_1", 0, 1, same=True),
    "RELU_N1_TO_1": of_floats("RELU_N1_TO_1"),
    "RELU_N1_TO_1, int8": of_bytes("RELU_N1_TO_1", -1, 1, same=True),
    "SIGN": of_floats("SIGN"),
    "POW": power,
    "TILE": tile("float32"),
    "TILE, int8": tile("int8"),
    "SELECT": select,
    "SELECT, int32": select_int32,
    "EXPAND_DIMS, FILL of bool": mask,
    "GATHER, REDUCE_PROD of a shape": taken_shape,
    "ONE_HOT": one_hot,
    "REDUCE_ANY": reduce_any,
}


# -- operators that a revision lacks ------------------------------------------------------


def of_two(name: str, divisor: str = "") -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row()
        y = net.input("y", shape, "float32")
        if divisor:
            y = net.constant("c", rng.uniform(0.5, 2, shape).astype(np.float32))
        return net.ended(net.op(name, [x, y], shape))

    return made


def reduced(name: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row()
        axis = int(rng.integers(0, len(shape)))
        told = net.constant("axis", np.array([axis], np.int32))
        out = (*shape[:axis], 1, *shape[axis + 1 :])
        return net.ended(net.op(name, [x, told], out, keep_dims=True))

    return made


def batch_matmul(rng: Rng) -> Model:
    net = Net(rng)
    rows, depth, columns = map(int, rng.integers(2, 9, 3))
    adj_y = bool(rng.integers(0, 2))
    x = net.input("x", (1, rows, depth), "float32")
    weights = net.constant("w", net.floats(*((columns, depth) if adj_y else (depth, columns))))
    return net.ended(net.op("BATCH_MATMUL", [x, weights], (1, rows, columns), adj_y=adj_y))


def broadcast_to(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (3, 1), "float32")
    shape = (int(rng.integers(1, 4)), 3, int(rng.integers(1, 15)))
    told = net.constant("n", np.array(shape, np.int32))
    return net.ended(net.op("BROADCAST_TO", [x, told], shape, version=2))


def embedding_lookup(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (int(rng.integers(1, 6)),), "int32")
    table = net.constant("table", net.floats(4, int(rng.integers(1, 9))))
    shape = (net._tensors[x].shape[0], net._tensors[table].shape[1])
    return net.ended(net.op("EMBEDDING_LOOKUP", [x, table], shape))


def reverse(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row()
    axis = net.constant("axis", np.array([rng.integers(0, len(shape))], np.int32))
    return net.ended(net.op("REVERSE_V2", [x, axis], shape))


def mirror_pad(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (4, 5), "float32")
    pads = rng.integers(0, 4, (2, 2)).astype(np.int32)
    pads[0, 0] = 1
    shape = tuple(int(n + p.sum()) for n, p in zip((4, 5), pads, strict=True))
    mode = int(rng.integers(0, 2))
    return net.ended(net.op("MIRROR_PAD", [x, net.constant("n", pads)], shape, mode=mode))


#: Kinds that a revision of TFLM does not run, and that revision.
REVISED: dict[str, tuple[str, Kind]] = {
    "SQUARED_DIFFERENCE": ("2022-07", of_two("SQUARED_DIFFERENCE")),
    "DIV by a constant": ("2022-06", of_two("DIV", "constant")),
    "SUM": ("2022-06", reduced("SUM")),
    "LOG_SOFTMAX": ("2022-09", of_floats("LOG_SOFTMAX")),
    "BROADCAST_TO": ("2022-02", broadcast_to),
    "BATCH_MATMUL with a constant": ("2023-08", batch_matmul),
    "EMBEDDING_LOOKUP": ("2023-06", embedding_lookup),
    "REVERSE_V2": ("2025-06", reverse),
    "REDUCE_MIN": ("2025-06", reduced("REDUCE_MIN")),
    "MIRROR_PAD": ("2022-01-02", mirror_pad),
}
