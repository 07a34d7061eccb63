"""Float models to quantise, as people have them."""

from itertools import pairwise
from typing import Any

import numpy as np

from arenite.model import Array, Model, ModelBuilder
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.slice import SliceOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.unidirectional_sequence_lstm import UnidirectionalSequenceLSTMOptions
from arenite.ops.tflite.var_handle import VarHandleOptions


def dense(layers: list[tuple[Array, Array]], *, softmax: bool = True, activation: int = 1) -> Model:
    """Fully connected layers of ``(units, depth)`` weights and biases, RELU between them."""
    b = ModelBuilder()
    x = b.input("x", (1, layers[0][0].shape[1]), "float32")
    for number, (weights, bias) in enumerate(layers):
        is_last = number == len(layers) - 1
        w = b.constant(f"w{number}", weights.astype(np.float32))
        c = b.constant(f"b{number}", bias.astype(np.float32))
        y = b.tensor(f"y{number}", (1, len(weights)), "float32")
        fused = 0 if is_last else activation
        b.operator("FULLY_CONNECTED", [x, w, c], [y], FullyConnectedOptions(fused))
        x = y
    if softmax:
        y = b.tensor("scores", (1, len(layers[-1][0])), "float32")
        b.operator("SOFTMAX", [x], [y], SoftmaxOptions(beta=1.0))
        x = y
    b.output(x)
    return b.build(description="dense layers")


def random_dense(*widths: int, seed: int = 0, softmax: bool = False) -> Model:
    """Dense layers with random weights."""
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(0, 1 / np.sqrt(m), (n, m)), rng.normal(0, 0.1, n)) for m, n in pairwise(widths)
    ]
    return dense(layers, softmax=softmax)


def normalised(seed: int = 0) -> Model:
    """A convolution, and batch normalisation as two operators behind it."""
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    x = b.input("x", (1, 6, 6, 2), "float32")
    w = b.constant("w", rng.normal(0, 0.4, (4, 3, 3, 2)).astype(np.float32))
    y = b.tensor("y", (1, 6, 6, 4), "float32")
    b.operator("CONV_2D", [x, w], [y], Conv2DOptions(0, 1, 1))
    factor = b.constant("gamma", rng.uniform(0.1, 3, 4).astype(np.float32))
    z = b.tensor("z", (1, 6, 6, 4), "float32")
    b.operator("MUL", [y, factor], [z], MulOptions())
    summand = b.constant("beta", rng.normal(0, 1, 4).astype(np.float32))
    a = b.tensor("a", (1, 6, 6, 4), "float32")
    b.operator("ADD", [z, summand], [a], AddOptions())
    r = b.tensor("r", (1, 6, 6, 4), "float32")
    b.operator("RELU", [a], [r])
    b.output(r)
    return b.build()


def uneven(seed: int = 0) -> Model:
    """Two layers between which channels differ by a factor of 1,000."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-1.5, 1.5, 16)
    first = rng.normal(0, 0.4, (16, 8)) * size[:, None]
    second = rng.normal(0, 0.3, (4, 16)) / size
    return dense([(first, rng.normal(0, 0.1, 16) * size), (second, np.zeros(4))], softmax=False)


def streaming(seed: int = 0, *, begins: bool = False) -> Model:
    """A dense layer over the last four inputs, which a resource variable remembers.

    With ``begins`` a subgraph that is called once says what it holds at first.
    """
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    if begins:
        b.operator("CALL_ONCE", [], [], CallOnceOptions(1))
    x = b.input("x", (1, 1, 3), "float32")
    handle = b.tensor("handle", (), "resource")
    b.operator("VAR_HANDLE", [], [handle], VarHandleOptions("", "window"))
    old = b.tensor("old", (1, 3, 3), "float32")
    b.operator("READ_VARIABLE", [handle], [old], ReadVariableOptions())
    window = b.tensor("window", (1, 4, 3), "float32")
    b.operator("CONCATENATION", [old, x], [window], ConcatenationOptions(axis=1))
    begin, size = b.constant("begin", np.array([0, 1, 0], np.int32)), [1, 3, 3]
    kept = b.tensor("kept", (1, 3, 3), "float32")
    sizes = b.constant("size", np.array(size, np.int32))
    b.operator("SLICE", [window, begin, sizes], [kept], SliceOptions())
    b.operator("ASSIGN_VARIABLE", [handle, kept], [], AssignVariableOptions())
    weights = b.constant("w", rng.normal(0, 0.4, (5, 12)).astype(np.float32))
    bias = b.constant("b", rng.normal(0, 0.1, 5).astype(np.float32))
    y = b.tensor("y", (1, 5), "float32")
    b.operator("FULLY_CONNECTED", [window, weights, bias], [y], FullyConnectedOptions(1))
    b.output(y)
    first = ModelBuilder("first")
    handle = first.tensor("handle", (), "resource")
    first.operator("VAR_HANDLE", [], [handle], VarHandleOptions("", "window"))
    ones = first.constant("ones", np.ones((1, 3, 3), np.float32))
    first.operator("ASSIGN_VARIABLE", [handle, ones], [], AssignVariableOptions())
    return b.build("streaming", subgraphs=[first.subgraph()] if begins else [])


def sizes(count: int, rng: np.random.Generator) -> Array:
    """How large channels are: some are 30 times as large as the others, as in transformers."""
    found = np.ones(count)
    found[rng.permutation(count)[: count // 8]] = 30.0
    return found


def attention(seed: int = 0, *, tokens: int = 6, width: int = 16) -> Model:
    """Layer normalisation with a few large factors, then one head of attention."""
    rng = np.random.default_rng(seed)
    size = sizes(width, rng)
    b = ModelBuilder()
    shape = (1, tokens, width)
    x = b.input("x", shape, "float32")

    def value(name: str, kind: str, inputs: list[int], options: Any, *of: int) -> int:
        y = b.tensor(name, of or shape, "float32")
        b.operator(kind, inputs, [y], options)
        return y

    def mean(name: str, of: int) -> int:
        axis = b.constant(f"{name} axis", np.array([2], np.int32))
        return value(name, "MEAN", [of, axis], ReducerOptions(keep_dims=True), 1, tokens, 1)

    def dense_of(name: str, of: int, weights: Array) -> int:
        w = b.constant(f"{name} weights", weights.astype(np.float32))
        c = b.constant(f"{name} bias", rng.normal(0, 0.1, len(weights)).astype(np.float32))
        options = FullyConnectedOptions(0, keep_num_dims=True)
        return value(name, "FULLY_CONNECTED", [of, w, c], options, 1, tokens, len(weights))

    centred = value("centred", "SUB", [x, mean("mean", x)], SubOptions())
    variance = mean("variance", value("squares", "MUL", [centred, centred], MulOptions()))
    root = value("root", "RSQRT", [variance], None, 1, tokens, 1)
    normal = value("normal", "MUL", [centred, root], MulOptions())
    gamma = b.constant("gamma", (size * rng.uniform(0.5, 1.5, width)).astype(np.float32))
    beta = b.constant("beta", (size * rng.normal(0, 0.2, width)).astype(np.float32))
    scaled = value("scaled", "MUL", [normal, gamma], MulOptions())
    y = value("normalised", "ADD", [scaled, beta], AddOptions())
    q, k, v = (
        dense_of(name, y, rng.normal(0, width**-0.5, (width, width)) / size) for name in "qkv"
    )
    scores = value("scores", "BATCH_MATMUL", [q, k], BatchMatMulOptions(adj_y=True), 1, 6, 6)
    shares = value("shares", "SOFTMAX", [scores], SoftmaxOptions(beta=width**-0.5), 1, 6, 6)
    mixed = value("mixed", "BATCH_MATMUL", [shares, v], BatchMatMulOptions())
    b.output(dense_of("out", mixed, rng.normal(0, width**-0.5, (width, width))))
    return b.build("attention")


def recurrent(seed: int = 0, *, steps: int = 5, width: int = 16, units: int = 8) -> Model:
    """A dense layer of uneven channels, then an LSTM that reads it."""
    rng = np.random.default_rng(seed)
    size = sizes(width, rng)
    b = ModelBuilder()
    x = b.input("x", (1, steps, 4), "float32")
    w = b.constant("w", (rng.normal(0, 0.5, (width, 4)) * size[:, None]).astype(np.float32))
    c = b.constant("c", (rng.normal(0, 0.1, width) * size).astype(np.float32))
    y = b.tensor("y", (1, steps, width), "float32")
    b.operator("FULLY_CONNECTED", [x, w, c], [y], FullyConnectedOptions(1, keep_num_dims=True))

    def weights(name: str, *shape: int, by: Any = 1.0) -> int:
        return b.constant(name, (rng.normal(0, 0.4, shape) / by).astype(np.float32))

    tensors = [y]
    tensors += [weights(f"input to {gate}", units, width, by=size) for gate in "ifco"]
    tensors += [weights(f"hidden to {gate}", units, units) for gate in "ifco"]
    tensors += [-1, -1, -1, *(weights(f"{gate} bias", units) for gate in "ifco"), -1, -1]
    tensors += [b.variable(name, (1, units), "float32") for name in ("hidden", "cell")]
    tensors += [-1] * 4
    z = b.tensor("z", (1, steps, units), "float32")
    options = UnidirectionalSequenceLSTMOptions(4)
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, [z], options)
    b.output(z)
    return b.build("recurrent")


def streaming_filters(seed: int = 0, *, width: int = 16, units: int = 6, steps: int = 4) -> Model:
    """A dense layer of uneven channels, then an SVDF that reads it."""
    rng = np.random.default_rng(seed)
    size = sizes(width, rng)
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    w = b.constant("w", (rng.normal(0, 0.5, (width, 4)) * size[:, None]).astype(np.float32))
    c = b.constant("c", (rng.normal(0, 0.1, width) * size).astype(np.float32))
    y = b.tensor("y", (1, width), "float32")
    b.operator("FULLY_CONNECTED", [x, w, c], [y], FullyConnectedOptions(1))
    feature = b.constant("feature", (rng.normal(0, 0.4, (units, width)) / size).astype(np.float32))
    time = b.constant("time", rng.normal(0, 0.5, (units, steps)).astype(np.float32))
    bias = b.constant("bias", rng.normal(0, 0.1, units).astype(np.float32))
    state = b.variable("state", (1, units * steps), "float32")
    z = b.tensor("z", (1, units), "float32")
    b.operator("SVDF", [y, feature, time, bias, state], [z], SVDFOptions(1, 0))
    b.output(z)
    return b.build("streaming filters")


def lost() -> Model:
    """A signal of 0.01 behind a sum with numbers up to 1,000: int8 does not hold both."""
    b = ModelBuilder()
    x, y = (b.input(name, (1, 8, 8), "float32") for name in "ab")
    total = b.tensor("total", (1, 8, 8), "float32")
    b.operator("ADD", [x, y], [total], AddOptions())
    rest = b.tensor("rest", (1, 8, 8), "float32")
    b.operator("TANH", [total], [rest])
    b.output(rest)
    return b.build()


def lost_data(count: int = 40) -> list[Array]:
    """Samples for both inputs."""
    rng = np.random.default_rng(0)
    large = np.where(rng.random((count, 1, 8, 8)) < 0.02, 1000, 0)
    return [rng.normal(0, 0.3, (count, 1, 8, 8)).astype(np.float32), large.astype(np.float32)]
