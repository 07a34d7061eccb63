"""A small network that goes row by row: its tensors are far larger than its rings."""

from arenite.model import Model
from tests.optimize.layers import Layers


def tower(*, residual: bool = False) -> Model:
    """int8 [1,16,8,8] -> 3x3, depthwise 3x3, 1x1 (added to the first with ``residual``), mean."""
    net = Layers(3, "int8")
    x = first = net.conv(net.input(1, 16, 8, 8), 8, activation=1)
    x = net.depthwise(x, activation=1)
    x = net.conv(x, 8, (1, 1))
    if residual:
        x = net.add(x, first)
    net.output(net.reshape(net.mean(x), (1, 8)))
    return net.build()
