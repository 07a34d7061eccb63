"""Random layers of all kinds that have kernels in assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.firmware.kernels.cortex_m.layers import NONE, RELU, RELU6, RELU_N1, SAME, VALID, Layers

_ACTIVATIONS = (NONE, NONE, RELU, RELU, RELU_N1, RELU6)


def random_layers(seed: int, count: int) -> Layers:
    """So many layers; a seed says everything."""
    net = Layers(seed, extreme=True)
    kinds = [pointwise, convolution, depthwise, depthwise, dense, sums, pools, mean]
    while len(net) < count:
        _pick(net, kinds)(net)
    return net


def pointwise(net: Layers) -> None:
    """A 1x1 convolution."""
    shape = _number(net, 7), _number(net, 7), _channels(net, 72)
    net.conv(shape, _channels(net, 40), activation=_pick(net, _ACTIVATIONS))


def convolution(net: Layers) -> None:
    """A convolution of any window that fits."""
    shape = _number(net, 12), _number(net, 12), _channels(net, 24)
    kernel = _number(net, min(5, shape[0])), _number(net, min(5, shape[1]))
    net.conv(
        shape,
        _channels(net, 20),
        kernel,
        stride=(_number(net, 3), _number(net, 3)),
        padding=_pick(net, (SAME, VALID)),
        activation=_pick(net, _ACTIVATIONS),
    )


def depthwise(net: Layers) -> None:
    """A depthwise convolution, half of them 3x3; images of one column and of one channel too."""
    channels = _pick(net, (1, 4, 8, 12, _channels(net, 40)))
    shape = _number(net, 30), _pick(net, (1, _number(net, 30))), channels
    kernel = 3, 3
    if net.rng.random() < 0.5 or min(shape[:2]) < 3:
        kernel = _number(net, min(9, shape[0])), _number(net, min(7, shape[1]))
    stride = _pick(net, ((1, 1), (2, 2), (_number(net, 3), _number(net, 3))))
    net.depthwise(
        shape,
        stride,
        _pick(net, (SAME, VALID)),
        kernel,
        multiplier=_number(net, 9) if channels == 1 else 1,
        activation=_pick(net, _ACTIVATIONS),
    )


def dense(net: Layers) -> None:
    """A product with a matrix."""
    net.dense(_channels(net, 300), _channels(net, 40), _pick(net, _ACTIVATIONS))


def sums(net: Layers) -> None:
    """A sum or a difference."""
    net.add(_number(net, 100), _pick(net, ("ADD", "SUB")), _pick(net, _ACTIVATIONS))


def pools(net: Layers) -> None:
    """The largest or the mean of windows."""
    shape = _number(net, 12), _number(net, 12), _channels(net, 40)
    kernel = _number(net, shape[0]), _number(net, shape[1])
    pool = _pick(net, (net.average, net.largest))
    pool(
        shape,
        kernel=kernel,
        stride=(_number(net, 3), _number(net, 3)),
        padding=_pick(net, (SAME, VALID, VALID)),
        activation=_pick(net, (NONE, NONE, RELU, RELU6)),
    )


def mean(net: Layers) -> None:
    """The mean of an image."""
    net.mean((_number(net, 15), _number(net, 15), _channels(net, 40)))


def _number(net: Layers, most: int) -> int:
    return int(net.rng.integers(1, most + 1))


def _channels(net: Layers, most: int) -> int:
    """Any number, more often one that kernels take well."""
    number = _number(net, most)
    return number if net.rng.random() < 0.5 else max(number // 4 * 4, 4)


def _pick(net: Layers, of: Sequence[Any]) -> Any:
    return of[int(net.rng.integers(len(of)))]
