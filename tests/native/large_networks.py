"""Networks of the size that phones run: architectures as published, random weights by a seed.

Values keep to a good part of their ranges, so that rounding and clamping matter in every layer.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from arenite.model import Model
from arenite.ops.kernel_util import Padding
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from tests.optimize.architectures import BOTTLENECKS
from tests.optimize.layers import Layers, Value

SAME, RELU6 = Padding.SAME, 3
CLASSES = 1000
#: MobileNetV1's blocks: channels, and the depthwise layer's stride.
SEPARABLE = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)
#: EfficientNet-lite0's blocks: how many times as wide inside, channels, how many, stride, taps.
LITE0 = (
    *((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3)),
    *((6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)),
)


def large_network(name: str, side: int = 0, seed: int = 1) -> Model:
    """One of :data:`LARGE` in int8; ``side`` is that of its image, in pixels, if not as there."""
    net = Layers(seed)
    make, usual = LARGE[name]
    net.output(make(net, side or usual))
    return net.build(description=f"{name}, random weights")


# -- networks ----------------------------------------------------------------------------


def mobilenet_v1(net: Layers, side: int, width: float) -> Value:
    """Howard et al. 2017, table 1."""
    x = net.conv(net.input(1, side, side, 3), int(32 * width), stride=2, activation=RELU6)
    for channels, stride in SEPARABLE:
        x = net.depthwise(x, stride=stride, activation=RELU6)
        x = net.conv(x, int(channels * width), (1, 1), activation=RELU6)
    return _classifier(net, x)


def mobilenet_v2(net: Layers, side: int) -> Value:
    """Sandler et al. 2018, table 2."""
    x = net.conv(net.input(1, side, side, 3), 32, stride=2, activation=RELU6)
    for times, channels, count, stride in BOTTLENECKS:
        for number in range(count):
            x = _bottleneck(net, x, (times, channels, 1 if number else stride, 3))
    return _classifier(net, net.conv(x, 1280, (1, 1), activation=RELU6))


def efficientnet_lite0(net: Layers, side: int) -> Value:
    """Tan and Le 2019 without squeeze-and-excite and with RELU6, as the lite ones are."""
    x = net.conv(net.input(1, side, side, 3), 32, stride=2, activation=RELU6)
    for times, channels, count, stride, taps in LITE0:
        for number in range(count):
            x = _bottleneck(net, x, (times, channels, 1 if number else stride, taps))
    return _classifier(net, net.conv(x, 1280, (1, 1), activation=RELU6))


def yolo_nano(net: Layers, side: int) -> Value:
    """Shaped like YOLOv5n: SiLU behind every convolution, three CSP stages, a pyramid, one head."""
    x = _silu(net, net.input(1, side, side, 3), 16, (6, 6), stride=2)
    kept = []
    for channels, count in ((32, 1), (64, 2), (128, 3), (256, 1)):
        x = _csp(net, _silu(net, x, channels, stride=2), channels, count)
        kept.append(x)
    x = _pyramid_pooling(net, x, 256)
    for channels, beside in ((128, kept[2]), (64, kept[1])):
        x = _silu(net, x, channels, (1, 1))
        x = net.concat([_twice_as_large(net, x), beside])
        x = _csp(net, x, channels, 1)
    return net.unary(net.conv(x, 255, (1, 1)), "LOGISTIC")


#: The network by name, and the side of its image.
LARGE: dict[str, tuple[Callable[[Layers, int], Value], int]] = {
    "MobileNetV2 1.0": (mobilenet_v2, 224),
    "MobileNetV1 0.25": (partial(mobilenet_v1, width=0.25), 224),
    "MobileNetV1 0.5": (partial(mobilenet_v1, width=0.5), 224),
    "MobileNetV1 0.75": (partial(mobilenet_v1, width=0.75), 224),
    "MobileNetV1 1.0": (partial(mobilenet_v1, width=1.0), 224),
    "EfficientNet-lite0": (efficientnet_lite0, 224),
    "YOLO nano": (yolo_nano, 320),
}


# -- pieces ------------------------------------------------------------------------------


def _classifier(net: Layers, x: Value) -> Value:
    x = net.mean(x)
    return net.dense(net.reshape(x, (1, x.shape[-1])), CLASSES)


def _bottleneck(net: Layers, x: Value, block: tuple[int, int, int, int]) -> Value:
    """Wider, depthwise, narrower: how many times as wide inside, channels, stride, taps."""
    times, channels, stride, taps = block
    y = x if times == 1 else net.conv(x, times * x.shape[3], (1, 1), activation=RELU6)
    y = net.depthwise(y, (taps, taps), stride=stride, activation=RELU6)
    y = net.conv(y, channels, (1, 1))
    return net.add(y, x) if y.shape == x.shape else y


def _silu(
    net: Layers, x: Value, filters: int, taps: tuple[int, int] = (3, 3), stride: int = 1
) -> Value:
    """A convolution, times its own LOGISTIC."""
    y = net.conv(x, filters, taps, stride=stride)
    return net.mul(y, net.unary(y, "LOGISTIC"))


def _csp(net: Layers, x: Value, channels: int, count: int) -> Value:
    """Half of the channels go through bottlenecks, half around them."""
    inner, around = (_silu(net, x, channels // 2, (1, 1)) for _ in range(2))
    for _ in range(count):
        inner = net.add(inner, _silu(net, _silu(net, inner, channels // 2, (1, 1)), channels // 2))
    return _silu(net, net.concat([inner, around]), channels, (1, 1))


def _pyramid_pooling(net: Layers, x: Value, channels: int) -> Value:
    parts = [_silu(net, x, channels // 2, (1, 1))]
    for _ in range(3):
        parts.append(net.pool(parts[-1], "MAX_POOL_2D", 5, padding=SAME, stride=1, activation=0))
    return _silu(net, net.concat(parts), channels, (1, 1))


def _twice_as_large(net: Layers, x: Value) -> Value:
    shape = (x.shape[0], 2 * x.shape[1], 2 * x.shape[2], x.shape[3])
    y = net.like(x, shape)
    size = net.constant(np.array(shape[1:3], np.int32))
    options = ResizeNearestNeighborOptions()
    net.b.operator("RESIZE_NEAREST_NEIGHBOR", [x.index, size], [y.index], options)
    return y
