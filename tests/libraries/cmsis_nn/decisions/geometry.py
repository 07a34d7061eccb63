"""Small convolutions, and what a path says of itself, for the tests of decisions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.target import Target

PLAIN, DSP, MVE = (Target(f"cortex-m{n}") for n in (3, 7, 55))
ARM_COMPILER = Target("cortex-m4", compiler="armclang")
NO_VECTORS = pytest.mark.parametrize("target", [PLAIN, DSP], ids=lambda t: t.processor)
ALL = pytest.mark.parametrize("target", [PLAIN, DSP, MVE], ids=lambda t: t.processor)


def failed(path: Path) -> list[str]:
    """The conditions that do not hold."""
    return [sentence for sentence, holds in asked(path) if not holds]


def asked(path: Path) -> tuple[tuple[str, bool], ...]:
    """What was asked, and the answers."""
    return tuple((condition.sentence, condition.holds) for condition in path.conditions)


def scratch(decide: Callable[..., Path], *arguments: Any) -> list[int]:
    """Bytes without DSP instructions, with them, with vectors."""
    return [decide(*arguments, target).scratch_size for target in (PLAIN, DSP, MVE)]


def conv(
    channels: int = 3,
    taps: tuple[int, int] = (3, 3),
    image: tuple[int, int] = (8, 8),
    filters: int = 4,
) -> ConvShape:
    """A convolution with unit strides and padding of 1."""
    return ConvShape(
        input=Dims(1, *image, channels),
        filter=Dims(1, *taps, channels),
        output=Dims(1, *image, filters),
        padding=Pair(taps[0] // 2, taps[1] // 2),
    )


def line(width: int, taps: int, outputs: int, pad: int, stride: int = 1) -> ConvShape:
    """A convolution of 4 channels along a line."""
    return ConvShape(
        input=Dims(1, 1, width, 4),
        filter=Dims(1, 1, taps, 4),
        output=Dims(1, 1, outputs, 4),
        stride=Pair(1, stride),
        padding=Pair(0, pad),
    )


def depthwise(channels: int = 8, taps: tuple[int, int] = (5, 3), multiplier: int = 1) -> ConvShape:
    base = conv(channels, taps, filters=channels * multiplier)
    return replace(base, filter=replace(base.filter, c=channels * multiplier), ch_mult=multiplier)


def transposed(channels: int, stride: Pair) -> ConvShape:
    return ConvShape(Dims(1, 4, 5, channels), Dims(2, 3, 3, channels), Dims(1, 8, 10, 2), stride)
