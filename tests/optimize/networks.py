"""Random networks that TFLM runs: plain, residual, inception-like, MobileNetV2-like, odd ones.

A seed says everything. Networks have what passes look for: operators that do nothing, clamps
behind layers, paddings before them, constant subgraphs, channels that never change, equal
constants, tensors and operators that nobody needs.
"""

from collections.abc import Callable

import numpy as np

from arenite.model import Model
from tests.optimize.layers import Layers, Value

VALID, SAME = 1, 0


def network(
    seed: int, kind: str = "", dtype: str = "", layers: Callable[[int, str], Layers] = Layers
) -> Model:
    """The network of a seed; ``kind`` is one of :data:`KINDS`, ``dtype`` int8 or float32.

    What is not given the seed decides: one in six networks is of floats. ``layers`` makes what
    collects them.
    """
    rng = np.random.default_rng([seed, 1])
    kind = kind or str(rng.choice(sorted(KINDS)))
    dtype = dtype or ("float32" if rng.random() < 1 / 6 else "int8")
    net = layers(seed, dtype)
    last = KINDS[kind](net)
    net.output(last)
    return net.build(description=f"{kind} {dtype} {seed}", metadata={"made": b"by a test"})


# -- architectures -----------------------------------------------------------------------


def plain(net: Layers) -> Value:
    """Layers one behind the other."""
    x = image(net)
    for _ in range(int(net.rng.integers(2, 6))):
        x = odd(net, layer(net, x))
    return head(net, x)


def residual(net: Layers) -> Value:
    """Blocks of two convolutions around which the input is added."""
    x = net.conv(image(net), int(net.pick(4, 8, 12)), activation=net.pick(0, 1))
    for _ in range(int(net.rng.integers(1, 4))):
        inner = net.conv(x, int(net.rng.integers(2, 17)), activation=net.pick(0, 1, 3))
        inner = odd(net, inner)
        inner = net.conv(inner, x.shape[3], net.pick((1, 1), (3, 3)))
        x = odd(net, net.add(inner, x, activation=net.pick(0, 1, 3)))
    return head(net, x)


def inception(net: Layers) -> Value:
    """Cells of branches that are put one behind the other."""
    x = image(net)
    for _ in range(int(net.rng.integers(1, 3))):
        branches = [branch(net, x) for _ in range(int(net.rng.integers(2, 5)))]
        x = odd(net, net.concat(branches))
    return head(net, x)


def mobilenet(net: Layers) -> Value:
    """Inverted bottlenecks: wider, depthwise, narrower, added where shapes agree."""
    x = net.conv(image(net), int(net.pick(4, 8)), stride=net.pick(1, 2), activation=3)
    for _ in range(int(net.rng.integers(1, 4))):
        stride = int(net.pick(1, 1, 2))
        channels = int(net.pick(x.shape[3], x.shape[3] + 4))
        wide = net.conv(x, x.shape[3] * net.pick(2, 4), (1, 1), activation=3, dead=net.pick(0, 0.4))
        y = padded_depthwise(net, wide, stride)
        y = net.conv(y, channels, (1, 1))
        x = odd(net, net.add(y, x) if y.shape == x.shape else y)
    return head(net, x)


def separable(net: Layers) -> Value:
    """MobileNetV1-like, with many channels that never change."""
    x = net.conv(image(net), 8, stride=2, activation=1, dead=net.pick(0, 0.5))
    for _ in range(int(net.rng.integers(1, 5))):
        x = net.depthwise(x, stride=net.pick(1, 1, 2), activation=1, dead=net.pick(0, 0.5))
        x = net.conv(x, int(net.pick(8, 12, 16)), (1, 1), activation=1, dead=net.pick(0, 0.6))
    return head(net, x)


def dense(net: Layers) -> Value:
    """Fully connected layers, as autoencoders have them."""
    x = net.input(1, int(net.rng.integers(4, 40)))
    for _ in range(int(net.rng.integers(2, 6))):
        x = net.dense(x, int(net.rng.integers(1, 33)), activation=net.pick(0, 1), dead=0.3)
        x = odd(net, x)
    return x


def forks(net: Layers) -> Value:
    """Splits, sums and products of branches that are read more than once."""
    x = image(net, channels=int(net.pick(4, 8)))
    alive = [x]
    for _ in range(int(net.rng.integers(3, 9))):
        a, b = (alive[int(net.rng.integers(len(alive)))] for _ in range(2))
        choice = net.rng.random()
        if choice < 0.25:
            alive.append(net.conv(a, x.shape[3], net.pick((1, 1), (3, 3))))
        elif choice < 0.5:
            alive.append(net.add(a, b, name=net.pick("ADD", "SUB")))
        elif choice < 0.7:
            alive.append(net.mul(a, b))
        elif choice < 0.85:
            alive.append(net.concat(net.split(a, 2, 3)[:: net.pick(1, -1)]))
        else:
            alive.append(odd(net, net.depthwise(a)))
    return net.concat([alive[-1], alive[int(net.rng.integers(len(alive)))]])


KINDS: dict[str, Callable[[Layers], Value]] = {
    function.__name__: function
    for function in (plain, residual, inception, mobilenet, separable, dense, forks)
}

# -- pieces ------------------------------------------------------------------------------


def image(net: Layers, channels: int = 0) -> Value:
    side = net.rng.integers(5, 13, 2)
    return net.input(1, int(side[0]), int(side[1]), channels or int(net.rng.integers(1, 5)))


def layer(net: Layers, x: Value) -> Value:
    """A layer that fits its input."""
    activation = int(net.pick(0, 0, 1, 3))
    small = min(x.shape[1:3]) < 4
    filters = int(net.rng.integers(1, 17))
    dead = float(net.pick(0, 0, 0.5))
    choice = net.rng.random()
    if choice < 0.2 or small:
        return net.conv(x, filters, (1, 1), activation=activation, dead=dead)
    if choice < 0.45:
        return padded_conv(net, x, filters, activation)
    if choice < 0.7:
        multiplier = 1 if x.shape[3] > 8 else int(net.pick(1, 1, 2))
        stride = int(net.pick(1, 2))
        return net.depthwise(
            x, multiplier=multiplier, stride=stride, activation=activation, dead=dead
        )
    if choice < 0.85:
        name = net.pick("AVERAGE_POOL_2D", "MAX_POOL_2D")
        return net.pool(x, name, net.pick(2, 3), padding=net.pick(SAME, VALID))
    return net.conv(x, filters, (3, 3), padding=VALID, activation=activation, dead=dead)


def padded_conv(net: Layers, x: Value, filters: int, activation: int) -> Value:
    """A convolution behind a PAD, as PyTorch's converters write it."""
    pairs = net.pick(((1, 1), (1, 1)), ((0, 1), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (0, 0)))
    x = net.pad(x, ((0, 0), *pairs, (0, 0)))
    stride = int(net.pick(1, 2))
    padding = int(net.pick(VALID, VALID, SAME))
    return net.conv(x, filters, (3, 3), stride=stride, padding=padding, activation=activation)


def padded_depthwise(net: Layers, x: Value, stride: int) -> Value:
    if net.chance(0.5) or min(x.shape[1:3]) < 2:
        return net.depthwise(x, stride=stride, activation=3, dead=net.pick(0, 0.3))
    ends = (1, 1) if stride == 1 else net.pick((1, 1), (0, 1))
    x = net.pad(x, ((0, 0), ends, ends, (0, 0)))
    return net.depthwise(x, stride=stride, padding=VALID, activation=3)


def branch(net: Layers, x: Value) -> Value:
    for _ in range(int(net.rng.integers(1, 3))):
        taps = net.pick((1, 1), (3, 3), (1, 3), (5, 5))
        x = net.conv(x, int(net.rng.integers(2, 9)), taps, activation=net.pick(0, 1))
    return x


def head(net: Layers, x: Value) -> Value:
    """What classifiers end with."""
    if net.chance(0.5):
        x = net.mean(x)
    if len(x.shape) == 4 and x.shape[1] > 1 and net.chance(0.3):
        x = net.pool(x, "AVERAGE_POOL_2D", min(x.shape[1:3]), padding=VALID)
    count = int(np.prod(x.shape))
    if net.chance(0.8):
        x = net.reshape(x, (1, count))
        x = net.dense(x, int(net.rng.integers(2, 12)))
        x = odd(net, x)
    if len(x.shape) == 2 and net.chance(0.5):
        x = net.softmax(x)
    return x


def odd(net: Layers, x: Value) -> Value:
    """Sometimes something that a good converter would not have written."""
    while net.chance(0.45):
        x = ODDITIES[int(net.rng.integers(len(ODDITIES)))](net, x)
    return x


def same_quantization(net: Layers, x: Value) -> Value:
    return net.quantize(x, x.scale, x.zero) if net.kind == "int8" else x


def two_requantizations(net: Layers, x: Value) -> Value:
    if net.kind != "int8":
        return x
    y = net.quantize(x, x.scale * net.pick(1, 0.5, 2, 1.37), net.pick(x.zero, 0, -128))
    return net.quantize(y, *net.pick((x.scale, x.zero), (x.scale * 1.1, -3), (y.scale, y.zero)))


def to_and_fro(net: Layers, x: Value) -> Value:
    if net.chance(0.5):
        return net.reshape(x, x.shape)
    return net.reshape(net.reshape(x, (1, int(np.prod(x.shape)))), x.shape)


def order_of_axes(net: Layers, x: Value) -> Value:
    if len(x.shape) != 4:
        return net.transpose(x, tuple(range(len(x.shape))))
    order = net.pick((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))
    x = net.transpose(x, order)
    back = tuple(int(axis) for axis in np.argsort(order))
    return net.transpose(x, back)


def moves_of_nothing(net: Layers, x: Value) -> Value:
    choice = net.pick(0, 1, 2)
    if choice == 0:
        return net.pad(x, ((0, 0),) * len(x.shape))
    if choice == 1:
        return net.cut(x, (0,) * len(x.shape), net.pick(x.shape, (-1,) * len(x.shape)))
    return net.concat([x])


def clamp(net: Layers, x: Value) -> Value:
    if net.chance(0.4):
        return net.relu(x, net.pick("RELU", "RELU6"), same=net.chance(0.7))
    if net.kind == "float32":
        return net.bound(x, net.pick("MAXIMUM", "MINIMUM"), net.pick(0, 1, 6, -1))
    level = net.pick(x.zero, -128, 127, int(net.rng.integers(-128, 128)))
    return net.bound(x, net.pick("MAXIMUM", "MINIMUM"), level)


def constant_part(net: Layers, x: Value) -> Value:
    """Something computed from constants, added."""
    scale = x.scale * 0.5
    a, b = (net.values(x.shape, scale, net.pick(0, 5)) for _ in range(2))
    part = net.add(a, b, activation=net.pick(0, 1))
    if net.chance(0.3):
        part = net.reshape(part, x.shape)
    return net.add(x, part)


def nobody_reads(net: Layers, x: Value) -> Value:
    """An operator without effect, and a tensor without an operator."""
    net.relu(x)
    net.like(x)
    net.values((3,), 0.1, 0)
    return x


def equal_constants(net: Layers, x: Value) -> Value:
    values = np.arange(4, dtype=np.float32)
    for _ in range(2):
        c = net.constant(values)
        y = net.b.tensor(f"copy of {c}", (4,), "float32")
        net.b.operator("RELU", [c], [y])
        net.output(Value(y, (4,)))
    return x


ODDITIES: tuple[Callable[[Layers, Value], Value], ...] = (
    same_quantization,
    two_requantizations,
    to_and_fro,
    order_of_axes,
    moves_of_nothing,
    clamp,
    clamp,
    clamp,
    constant_part,
    nobody_reads,
    equal_constants,
)
