"""Networks like those that people put on a Cortex-M beside MLPerf's, with weights of a seed."""

from collections.abc import Callable

from arenite.model import Model
from arenite.ops.kernel_util import Padding
from tests.optimize.layers import Layers, Value

RELU, RELU6 = 1, 3


def mobilenet_v2(net: Layers, blocks: int = 9) -> Value:
    """96 x 96 pixels, inverted residuals of odd widths."""
    x = net.conv(net.input(1, 96, 96, 3), 16, stride=2, activation=RELU6)
    x = net.conv(net.depthwise(x, activation=RELU6), 8, (1, 1))
    for number in range(blocks):
        stride = 2 if number in (0, 2, 5) else 1
        wide = net.conv(x, 6 * x.shape[3], (1, 1), activation=RELU6)
        wide = net.depthwise(wide, stride=stride, activation=RELU6)
        if stride == 1:
            x = net.add(net.conv(wide, x.shape[3], (1, 1), like=x), x)
        else:
            x = net.conv(wide, x.shape[3] + 4 + number, (1, 1))
    return x


def classifier(net: Layers) -> Value:
    """MobileNetV2 with a head."""
    x = net.conv(mobilenet_v2(net), 112, (1, 1), activation=RELU6)
    return net.softmax(net.dense(net.mean(x), 5))


def fomo(net: Layers) -> Value:
    """MobileNetV2, cut, and a map of classes."""
    x = net.conv(mobilenet_v2(net, 5), 32, (1, 1), activation=RELU)
    return net.softmax(net.conv(x, 3, (1, 1)))


def yolo(net: Layers) -> Value:
    """Pools with padding, depthwise windows of 5 x 5 and multipliers, boxes of odd channels."""
    x = net.conv(net.input(1, 80, 80, 3), 12, stride=2, activation=RELU)
    x = net.pool(x, "MAX_POOL_2D", 3, padding=Padding.SAME, stride=2, activation=0)
    for filters in (24, 36, 50):
        x = net.depthwise(x, (5, 5), stride=2 if filters == 36 else 1)
        x = net.conv(x, filters, (1, 1), activation=RELU)
        x = net.pool(x, "MAX_POOL_2D", 3, padding=Padding.SAME, stride=1, activation=0)
    x = net.conv(x, 25, (3, 3), dilation=2, activation=RELU)
    x = net.conv(net.depthwise(x, multiplier=2), 30, (1, 1))
    return net.unary(x, "LOGISTIC")


def fingerprint(net: Layers) -> Value:
    """A grey picture, plain convolutions, two layers of units."""
    x = net.input(1, 64, 64, 1)
    for filters in (10, 18, 26):
        x = net.conv(x, filters, (3, 3), activation=RELU)
        x = net.pool(x, "MAX_POOL_2D", 2, stride=2, activation=0)
    x = net.pool(x, "AVERAGE_POOL_2D", 3, padding=Padding.SAME, stride=2, activation=0)
    return net.dense(net.dense(x, 61, activation=RELU), 10)


NETWORKS: dict[str, Callable[[Layers], Value]] = {
    **{"mobilenet_v2": classifier, "fomo": fomo, "yolo": yolo, "fingerprint": fingerprint}
}


def held_out(name: str, seed: int = 0) -> Model:
    """One of these networks."""
    net = Layers(seed)
    net.output(NETWORKS[name](net))
    return net.b.build()
