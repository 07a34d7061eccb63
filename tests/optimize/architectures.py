"""Networks of the size that people deploy: architectures as published, random weights.

What matters for memory is as it is in the originals: shapes, branches, and the order of operators
that a converter writes. Classes are 10, so that files stay small.
"""

from collections.abc import Callable
from functools import partial

from arenite.model import Model
from arenite.ops.kernel_util import Padding
from tests.optimize.layers import Layers, Value

SAME, VALID = Padding.SAME, Padding.VALID
RELU, RELU6 = 1, 3
CLASSES = 10
#: MobileNetV2's blocks: how many times as wide inside, channels, how many, the first one's stride.
BOTTLENECKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def architecture(name: str, dtype: str = "int8") -> Model:
    """One of :data:`ARCHITECTURES`, with the same weights each time."""
    net = Layers(1, dtype)
    net.output(ARCHITECTURES[name](net))
    return net.build(description=f"{name}, random weights")


# -- architectures -----------------------------------------------------------------------


def mobilenet_v2(net: Layers, width: float, side: int, *, has_pads: bool = False) -> Value:
    """Sandler et al. 2018, table 2; with ``has_pads`` as PyTorch's converters write it."""
    x = _strided(net, net.input(1, side, side, 3), _wide(32, width), has_pads=has_pads)
    for times, channels, count, stride in BOTTLENECKS:
        for number in range(count):
            step = stride if number == 0 else 1
            x = _bottleneck(net, x, times, _wide(channels, width), step, has_pads=has_pads)
    return classifier(net, net.conv(x, _wide(1280, max(width, 1)), (1, 1), activation=RELU6))


def resnet(net: Layers, side: int) -> Value:
    """He et al. 2015: basic blocks of two convolutions, 1x1 ones beside those with a stride."""
    x = net.conv(net.input(1, side, side, 3), 16, (7, 7), stride=2, activation=RELU)
    x = net.pool(x, "MAX_POOL_2D", 3, padding=SAME, stride=2, activation=0)
    for channels, stride in ((16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)):
        inner = net.conv(x, channels, stride=stride, activation=RELU)
        inner = net.conv(inner, channels)
        beside = x if x.shape == inner.shape else net.conv(x, channels, (1, 1), stride=stride)
        x = net.add(inner, beside, activation=RELU)
    return classifier(net, x)


def inception(net: Layers, side: int) -> Value:
    """Szegedy et al. 2014: cells of four branches, with a quarter of GoogLeNet's channels."""
    x = net.conv(net.input(1, side, side, 3), 16, (7, 7), stride=2, activation=RELU)
    x = net.pool(x, "MAX_POOL_2D", 3, padding=SAME, stride=2, activation=0)
    x = net.conv(net.conv(x, 16, (1, 1), activation=RELU), 48, activation=RELU)
    cells = (16, 24, 32, 4, 8, 8), (32, 32, 48, 8, 24, 16), (48, 24, 52, 4, 12, 16)
    for number, cell in enumerate((*cells, (64, 40, 80, 8, 32, 32))):
        if number % 2 == 1:
            x = net.pool(x, "MAX_POOL_2D", 3, padding=SAME, stride=2, activation=0)
        x = _inception_cell(net, x, cell)
    return classifier(net, x)


def nasnet(net: Layers, side: int) -> Value:
    """Zoph et al. 2017, figure 4: NASNet-A's normal cells, which read the two cells before."""
    before = net.conv(net.input(1, side, side, 3), 32, activation=RELU)
    x = net.conv(before, 32, stride=1, activation=RELU)
    for channels, is_smaller in ((8, False), (8, False), (16, True), (16, False)):
        if is_smaller:
            before, x = (
                net.conv(one, 4 * channels, (1, 1), stride=2, activation=RELU)
                for one in (before, x)
            )
        before, x = x, _nasnet_cell(net, before, x, channels)
    return classifier(net, x)


def densenet(net: Layers, side: int) -> Value:
    """Huang et al. 2016: every layer reads all before it in its block, put one behind the other."""
    x = net.conv(net.input(1, side, side, 3), 24, stride=2, activation=RELU)
    for number in range(3):
        if number:
            x = net.conv(x, x.shape[3] // 2, (1, 1), activation=RELU)
            x = net.pool(x, "AVERAGE_POOL_2D", 2, padding=VALID, stride=2, activation=0)
        for _ in range(4):
            inner = net.conv(x, 48, (1, 1), activation=RELU)
            x = net.concat([x, net.conv(inner, 12, activation=RELU, like=x)])
    return classifier(net, x)


#: The network by name.
ARCHITECTURES: dict[str, Callable[[Layers], Value]] = {
    "MobileNetV2 1.0, 96": partial(mobilenet_v2, width=1.0, side=96),
    "MobileNetV2 0.35, 160": partial(mobilenet_v2, width=0.35, side=160),
    "MobileNetV2 0.35, 96, with PADs": partial(mobilenet_v2, width=0.35, side=96, has_pads=True),
    "residual, 96": partial(resnet, side=96),
    "inception, 96": partial(inception, side=96),
    "NASNet cells, 32": partial(nasnet, side=32),
    "dense blocks, 64": partial(densenet, side=64),
}


# -- pieces ------------------------------------------------------------------------------


def classifier(net: Layers, x: Value) -> Value:
    """The mean over the image, a layer, SOFTMAX."""
    x = net.mean(x)
    return net.softmax(net.dense(net.reshape(x, (1, x.shape[-1])), CLASSES))


def _wide(channels: int, width: float) -> int:
    """So many channels, a multiple of 8, no more than a tenth below what was asked for."""
    wanted = channels * width
    rounded = max(8, int(wanted + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * wanted else rounded


def _strided(net: Layers, x: Value, channels: int, *, has_pads: bool) -> Value:
    if not has_pads:
        return net.conv(x, channels, stride=2, activation=RELU6)
    x = net.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return net.conv(x, channels, stride=2, padding=VALID, activation=RELU6)


def _bottleneck(
    net: Layers, x: Value, times: int, channels: int, stride: int, *, has_pads: bool
) -> Value:
    """Wider, depthwise, narrower; added where shapes agree."""
    y = x if times == 1 else net.conv(x, times * x.shape[3], (1, 1), activation=RELU6)
    if has_pads:
        y = net.pad(y, ((0, 0), (1, 1), (1, 1), (0, 0)))
    padding = VALID if has_pads else SAME
    y = net.depthwise(y, stride=stride, padding=padding, activation=RELU6)
    y = net.conv(y, channels, (1, 1))
    return net.add(y, x) if y.shape == x.shape else y


def _inception_cell(net: Layers, x: Value, channels: tuple[int, ...]) -> Value:
    """1x1; 1x1 and 3x3; 1x1 and 5x5; pool and 1x1: put one behind the other."""
    one, before_3, three, before_5, five, pooled = channels
    first = net.conv(x, one, (1, 1), activation=RELU)
    second = net.conv(x, before_3, (1, 1), activation=RELU)
    second = net.conv(second, three, activation=RELU, like=first)
    third = net.conv(x, before_5, (1, 1), activation=RELU)
    third = net.conv(third, five, (5, 5), activation=RELU, like=first)
    fourth = net.pool(x, "MAX_POOL_2D", 3, padding=SAME, stride=1, activation=0)
    fourth = net.conv(fourth, pooled, (1, 1), activation=RELU, like=first)
    return net.concat([first, second, third, fourth])


def _nasnet_cell(net: Layers, before: Value, x: Value, channels: int) -> Value:
    """Five sums of two branches each, put one behind the other."""
    p = net.conv(before, channels, (1, 1), activation=RELU)
    h = net.conv(x, channels, (1, 1), activation=RELU)

    def separable(v: Value, taps: int) -> Value:
        v = net.depthwise(v, (taps, taps), activation=RELU)
        return net.conv(v, channels, (1, 1), activation=RELU)

    def pooled(v: Value) -> Value:
        return net.pool(v, "AVERAGE_POOL_2D", 3, padding=SAME, stride=1, activation=0)

    sums = [net.add(separable(h, 3), h)]
    sums.append(net.add(separable(p, 3), separable(h, 5), like=sums[0]))
    sums.append(net.add(pooled(h), p, like=sums[0]))
    sums.append(net.add(pooled(p), pooled(p), like=sums[0]))
    sums.append(net.add(separable(p, 5), separable(p, 3), like=sums[0]))
    return net.concat(sums)
