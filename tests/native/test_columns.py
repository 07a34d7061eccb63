"""Depthwise filters of one column: four rows of the image serve four rows of the output."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from tests.native.convolutions import check
from tests.native.layers import Layer, build, parts_are_the_whole

SAME, VALID = 0, 1
every_isa = pytest.mark.parametrize("isa", available_isas())


def column(
    rows: int, channels: int, taps: int, *, columns: int = 1, stride: int = 1, padding: int = VALID
) -> Layer:
    """A layer of which the filter has a column."""
    return Layer(
        name="DEPTHWISE_CONV_2D",
        image=(2, rows, columns, channels),
        filter=(taps, 1),
        filters=channels,
        stride=(1, stride),
        dilation=(1, 1),
        padding=padding,
        activation=0,
    )


def equals_the_reference(isa: str, layer: Layer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    check(isa, rng.integers(-128, 128, layer.image, np.int8), build(layer, rng))


@every_isa
@pytest.mark.parametrize("taps", [*range(1, 18), 31, 32, 33])
def test_any_length(taps: int, isa: str) -> None:
    equals_the_reference(isa, column(taps + 12, 24, taps), taps)


@every_isa
@pytest.mark.parametrize("taps", [2, 5, 6, 10])
@pytest.mark.parametrize("outputs", range(1, 18))
def test_any_number_of_outputs(outputs: int, taps: int, isa: str) -> None:
    equals_the_reference(isa, column(taps + outputs - 1, 9, taps), outputs)


@every_isa
@pytest.mark.parametrize("channels", [*range(2, 18), 32, 33, 40, 128])
def test_any_number_of_channels(channels: int, isa: str) -> None:
    equals_the_reference(isa, column(14, channels, 5), channels)
    equals_the_reference(isa, column(18, channels, 9), channels)


@every_isa
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [SAME, VALID])
def test_columns_beside_each_other(padding: int, stride: int, isa: str) -> None:
    equals_the_reference(isa, column(13, 12, 3, columns=7, stride=stride, padding=padding), stride)


@every_isa
@pytest.mark.parametrize("parts", [2, 3, 5])
def test_its_parts_are_the_whole(parts: int, isa: str) -> None:
    parts_are_the_whole(isa, column(41, 32, 10), parts, parts)
