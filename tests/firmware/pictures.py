"""Random networks of few layers on large tensors: memory is tensors, hardly TFLM's own records."""

from collections.abc import Callable, Iterator

from arenite.model import Model
from arenite.ops.kernel_util import Padding
from tests.optimize.layers import Layers, Value


def picture(seed: int) -> Model:
    """The int8 network of a seed: one to six layers, any windows, widths, strides, residuals."""
    net = Layers(seed)
    side = int(net.rng.integers(9, 41))
    x = net.input(1, side, int(net.rng.integers(9, 41)), int(net.pick(1, 2, 3, 4, 8, 13)))
    for _ in range(int(net.rng.integers(1, 7))):
        x = net.pick(*_ways(net, x))()
    net.output(x)
    return net.build()


def _ways(net: Layers, x: Value) -> Iterator[Callable[[], Value]]:
    rows, columns, depth = x.shape[1:]
    width = int(net.pick(5, 8, 10, 16, 26, 6 * depth))
    stride, tall = int(net.pick(1, 1, 2)), int(net.pick(2, 3, 5))
    if min(rows, columns) > tall:
        padding = int(net.pick(Padding.SAME, Padding.VALID))
        yield lambda: net.conv(x, width, (tall, tall), stride=stride, padding=padding)
        yield lambda: net.depthwise(x, (tall, tall), stride=stride, padding=padding)
        yield lambda: net.pool(x, "MAX_POOL_2D", tall, padding=padding, stride=stride)
    yield lambda: net.conv(x, width, (1, 1), activation=1)
    yield lambda: net.add(net.conv(x, depth, (1, 1)), x)
    yield lambda: net.unary(x, "LOGISTIC")
