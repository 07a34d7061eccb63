"""Random layers of all kinds that have kernels in assembly."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.firmware.kernels.cortex_m.layers import (
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    SAME,
    VALID,
    Layers,
    Pair,
    Shape,
)

#: Adds one random layer.
Kind = Callable[[Layers], None]
_ACTIVATIONS = (NONE, NONE, RELU, RELU, RELU_N1, RELU6)


def random_layers(seed: int, count: int, kinds: Sequence[Kind] | None = None) -> Layers:
    """So many layers; a seed says everything."""
    net = Layers(seed, extreme=True)
    while len(net) < count:
        _pick(net, kinds or KINDS)(net)
    return net


def pointwise(net: Layers) -> None:
    """A 1x1 convolution."""
    shape = _number(net, 7), _number(net, 7), _channels(net, 72)
    net.conv(shape, _channels(net, 40), activation=_pick(net, _ACTIVATIONS))


def convolution(net: Layers) -> None:
    """A convolution of any window that fits; some are dilated, or in groups."""
    groups = _pick(net, (1, 1, 1, 1, 1, 2, 3))
    shape = _number(net, 12), _number(net, 12), groups * _channels(net, 24 // groups)
    kernel, dilation = _window(net, shape, (5, 5))
    net.conv(
        shape,
        groups * _channels(net, 20 // groups),
        kernel,
        stride=(_number(net, 3), _number(net, 3)) if dilation == (1, 1) else 1,
        padding=_pick(net, (SAME, VALID)),
        activation=_pick(net, _ACTIVATIONS),
        dilation=dilation,
        groups=groups,
    )


def depthwise(net: Layers) -> None:
    """A depthwise convolution, half of them 3x3; images of one column and of few channels too."""
    channels = _pick(net, (1, 2, 3, 4, 8, 12, _channels(net, 40), _channels(net, 40)))
    shape = _number(net, 30), _pick(net, (1, _number(net, 30))), channels
    kernel, dilation = (3, 3), (1, 1)
    if net.rng.random() < 0.5 or min(shape[:2]) < 3:
        kernel, dilation = _window(net, shape, (9, 7))
    stride = _pick(net, ((1, 1), (2, 2), (_number(net, 3), _number(net, 3))))
    net.depthwise(
        shape,
        stride if dilation == (1, 1) else 1,
        _pick(net, (SAME, VALID)),
        kernel,
        multiplier=_number(net, 9) if channels == 1 else _pick(net, (1, 1, 1, _number(net, 5))),
        activation=_pick(net, _ACTIVATIONS),
        dilation=dilation,
    )


def dense(net: Layers) -> None:
    """A product with a matrix, sometimes of several rows."""
    rows = _pick(net, (1, 1, 1, _number(net, 6)))
    net.dense(_channels(net, 300), _channels(net, 40), _pick(net, _ACTIVATIONS), rows)


def sums(net: Layers) -> None:
    """A sum, a difference or a product of images, or of one and what is broadcast to it."""
    shape = (1, _number(net, 8), _number(net, 8), _channels(net, 24))
    other = _pick(net, (shape, shape, (1, 1, 1, shape[3]), (1, 1, 1, 1), (*shape[:3], 1)))
    name = _pick(net, ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"))
    net.add(shape, name, _pick(net, _ACTIVATIONS), other=other)


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
    """The mean of an image, or along other axes."""
    axes = _pick(net, ((1, 2), (1, 2), (3,), (1,), (2, 3)))
    net.mean((_number(net, 15), _number(net, 15), _channels(net, 80)), axes)


KINDS: tuple[Kind, ...] = (
    *(pointwise, convolution, convolution, depthwise, depthwise, depthwise),
    *(dense, sums, pools, mean),
)


def _window(net: Layers, shape: Shape, most: Pair) -> tuple[Pair, Pair]:
    """A kernel that fits into an image, and its dilation, which is seldom more than 1."""
    dilation = _pick(net, ((1, 1), (1, 1), (1, 1), (_number(net, 3), _number(net, 3))))
    fits = ((size - 1) // by + 1 for size, by in zip(shape[:2], dilation, strict=True))
    height, width = (_number(net, min(limit, size)) for limit, size in zip(most, fits, strict=True))
    return (height, width), dilation


def _number(net: Layers, most: int) -> int:
    return int(net.rng.integers(1, most + 1))


def _channels(net: Layers, most: int) -> int:
    """Any number, more often one that kernels take well."""
    number = _number(net, most)
    return number if net.rng.random() < 0.5 else max(number // 4 * 4, 4)


def _pick(net: Layers, of: Sequence[Any]) -> Any:
    return of[int(net.rng.integers(len(of)))]
