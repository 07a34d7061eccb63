"""A population of models such as people publish and TFLM does not run: 650 of them by kind.

The kinds and their shares are those of 1,014 public files that TFLM refuses: most have int8
weights beside floats, in networks for images, rows of numbers and sequences. These are made by
chance, with several layers each, whose activations and heads TFLM may lack as well.
"""

from collections.abc import Iterator

import numpy as np

from arenite.model import Model
from arenite.optimize._ranked import TopKOptions
from arenite.optimize.lowerings import GeluOptions
from tests.optimize.lowered import KINDS, Kind, Net, Rng, _packed
from tests.optimize.lowered_types import INT64, network_of_uint8

#: How weights are stored.
HYBRID, FLOAT16, PER_CHANNEL, FLOATS = "hybrid", "float16", "per channel", "floats"
COMMON = ("RELU", "HARD_SWISH", "LOGISTIC", "TANH", "LEAKY_RELU")
RARE = ("GELU", "RELU_0_TO_1", "RELU_N1_TO_1")


class Layers(Net):
    """A network that grows by layers; ``x`` is its end, with a shape."""

    def __init__(self, rng: Rng, stored: str) -> None:
        super().__init__(rng)
        self.stored = stored
        self.x, self.shape = -1, ()

    def begin(self, *shape: int) -> None:
        self.x, self.shape = self.input("x", shape, "float32"), shape

    def then(self, name: str, inputs: list[int], shape: tuple[int, ...], **more) -> None:
        self.x, self.shape = self.op(name, inputs, shape, **more), shape

    def stored_weights(self, shape: tuple[int, ...], axis: int) -> int:
        fan_in = np.sqrt(np.prod(shape) / shape[axis])
        if self.stored == HYBRID:
            return self.weights(shape, axis)
        if self.stored == FLOAT16:
            half = self.constant("w", (self.floats(*shape) / fan_in).astype(np.float16))
            return self.op("DEQUANTIZE", [half], shape)
        if self.stored == PER_CHANNEL:
            values = self.rng.integers(-127, 128, shape).astype(np.int8)
            scales = self.rng.uniform(0.5, 1.5, shape[axis]) / 127 / fan_in
            small = self.constant("w", values, scale=scales, quantized_dimension=axis)
            return self.op("DEQUANTIZE", [small], shape)
        return self.constant("w", (self.floats(*shape) / fan_in).astype(np.float32))

    def bias(self, units: int) -> int:
        return self.constant("b", self.floats(units) * np.float32(0.1))

    # -- layers

    def conv(self) -> None:
        _, height, width, depth = self.shape
        filters, step = int(self.rng.integers(2, 9)), int(self.rng.integers(1, 3))
        size = int(self.rng.choice([1, 3]))
        weights = self.stored_weights((filters, size, size, depth), 0)
        shape = (1, -(-height // step), -(-width // step), filters)
        given = [self.x, weights, self.bias(filters)]
        self.then("CONV_2D", given, shape, stride_h=step, stride_w=step)

    def depthwise(self) -> None:
        depth = self.shape[3]
        weights = self.stored_weights((1, 3, 3, depth), 3)
        given, steps = [self.x, weights, self.bias(depth)], {"stride_h": 1, "stride_w": 1}
        self.then("DEPTHWISE_CONV_2D", given, self.shape, depth_multiplier=1, **steps)

    def residual(self) -> None:
        before = self.x
        self.depthwise()
        self.then("ADD", [self.x, before], self.shape)

    def pool(self) -> None:
        _, height, width, depth = self.shape
        name = str(self.rng.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]))
        shape = (1, -(-height // 2), -(-width // 2), depth)
        options = {"stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
        self.then(name, [self.x], shape, **options)

    def activation(self, names: tuple[str, ...]) -> None:
        name = str(self.rng.choice(names))
        more = {"row": GeluOptions, "approximate": bool(self.rng.random() < 0.5)}
        self.then(name, [self.x], self.shape, **(more if name == "GELU" else {}))

    def dense(self, units: int) -> None:
        weights = self.stored_weights((units, self.shape[-1]), 0)
        given = [self.x, weights, self.bias(units)]
        self.then("FULLY_CONNECTED", given, (*self.shape[:-1], units), keep_num_dims=True)

    def flat(self, *, computed: bool = False) -> None:
        size = int(np.prod(self.shape))
        told = (
            _packed(self, self.x, [size])
            if computed
            else self.constant("shape", np.array([1, size], np.int32))
        )
        self.then("RESHAPE", [self.x, told], (1, size))

    def mean(self) -> None:
        axes = self.constant("axes", np.array([1, 2], np.int32))
        self.then("MEAN", [self.x, axes], (1, self.shape[3]))

    def attention(self) -> None:
        _, steps, width = before = self.shape
        x, three = self.x, []
        for _ in range(3):
            self.x, self.shape = x, before
            self.dense(width)
            three.append(self.x)
        factor = self.constant("f", np.float32(1 / np.sqrt(width)))
        self.then("BATCH_MATMUL", three[:2], (1, steps, steps), adj_y=True)
        self.then("MUL", [self.x, factor], self.shape)
        self.then("SOFTMAX", [self.x], self.shape, beta=1.0)
        self.then("BATCH_MATMUL", [self.x, three[2]], before)
        self.then("ADD", [self.x, x], before)

    # -- ends

    def softmax(self) -> Model:
        self.then("SOFTMAX", [self.x], self.shape, beta=1.0)
        return self.ended(self.x)

    def place(self) -> Model:
        """The class, as an int64."""
        axis = self.constant("axis", np.int32(1))
        return self.ended(self.op("ARG_MAX", [self.x, axis], (1,), "int64", output_type=INT64))

    def best(self) -> Model:
        """The three best classes and their values."""
        values, places = (
            self.tensor("values", (1, 3), "float32"),
            self.tensor("at", (1, 3), "int32"),
        )
        count = self.constant("k", np.int32(3))
        self.operator("TOPK_V2", [self.x, count], [values, places], TopKOptions())
        return self.ended(values, places)


def images(stored: str, names: tuple[str, ...] = COMMON, end: str = "softmax") -> Kind:
    """Convolutions for small images."""

    def made(rng: Rng) -> Model:
        net = Layers(rng, stored)
        net.begin(1, *map(int, rng.integers(8, 13, 2)), int(rng.integers(1, 4)))
        for number in range(int(rng.integers(2, 5))):
            net.conv()
            net.activation(names if number == 0 else (*names, *COMMON))
            some = [net.depthwise, net.residual, net.pool, net.conv]
            some[int(rng.integers(len(some)))]()
        net.mean() if rng.random() < 0.7 else net.flat()
        net.dense(int(rng.integers(4, 12)))
        return getattr(net, end)()

    return made


def rows(stored: str, names: tuple[str, ...] = COMMON, end: str = "softmax") -> Kind:
    """Dense layers for rows of numbers."""

    def made(rng: Rng) -> Model:
        net = Layers(rng, stored)
        net.begin(1, int(rng.integers(4, 40)))
        for number in range(int(rng.integers(1, 5))):
            net.dense(int(rng.integers(8, 48)))
            net.activation(names if number == 0 else (*names, *COMMON))
        net.dense(int(rng.integers(4, 12)))
        return getattr(net, end)()

    return made


def transformers(stored: str) -> Kind:
    """Attention over a short sequence."""

    def made(rng: Rng) -> Model:
        net = Layers(rng, stored)
        net.begin(1, int(rng.integers(3, 9)), width := int(rng.integers(2, 5)) * 4)
        for _ in range(int(rng.integers(1, 3))):
            net.attention()
            net.dense(2 * width)
            net.activation(("GELU", "RELU"))
            net.dense(width)
        net.flat()
        net.dense(5)
        return net.softmax()

    return made


def computed_shapes(rng: Rng) -> Model:
    """A flattening and a state that begins as zeros, of shapes computed from the input's."""
    net = Layers(rng, FLOATS)
    net.begin(1, *map(int, rng.integers(4, 8, 2)), 2)
    net.conv()
    net.activation(COMMON)
    net.flat(computed=True)
    net.dense(5)
    zero = net.constant("zero", np.float32(0))
    state = net.op("FILL", [_packed(net, net.x, [5]), zero], (1, 5))
    net.then("ADD", [net.x, state], (1, 5))
    return net.softmax()


#: By kind: how many, and the generators that take turns.
POPULATION: dict[str, tuple[int, list[Kind]]] = {
    "hybrid: images": (260, [images(HYBRID), images(HYBRID, RARE), images(HYBRID, end="place")]),
    "hybrid: rows": (120, [rows(HYBRID), rows(HYBRID, RARE), rows(HYBRID, end="best")]),
    "hybrid: attention": (80, [transformers(HYBRID)]),
    "hybrid: LSTM": (60, [KINDS["UNIDIRECTIONAL_SEQUENCE_LSTM, hybrid"]]),
    "float16": (16, [images(FLOAT16), rows(FLOAT16, RARE)]),
    "FILL, computed shapes": (
        19,
        [
            computed_shapes,
            KINDS["FILL of a computed shape"],
            KINDS["a shape that the file leaves open"],
        ],
    ),
    "GELU": (25, [images(FLOATS, ("GELU",)), transformers(FLOATS), rows(FLOATS, ("GELU",))]),
    "int64 classes, TOPK_V2": (25, [images(FLOATS, end="place"), rows(FLOATS, end="best")]),
    "Keras 3's loops": (20, [KINDS["a sequence that a loop writes"]]),
    "weights of a scale per channel": (15, [images(PER_CHANNEL), rows(PER_CHANNEL)]),
    "uint8": (10, [network_of_uint8]),
}


def population(share: float = 1.0) -> Iterator[tuple[str, Kind, int]]:
    """Kind, generator and seed of each model; ``share`` of every kind, one at least."""
    for name, (count, kinds) in POPULATION.items():
        for number in range(max(1, round(count * share))):
            yield name, kinds[number % len(kinds)], number
