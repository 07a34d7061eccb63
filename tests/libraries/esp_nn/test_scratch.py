"""Scratch memory of ESP-NN's kernels, in numbers that a person can check."""

import pytest

from arenite.cores import CORES
from arenite.libraries.esp_nn import FACTS
from arenite.libraries.esp_nn.dispatch import scratch
from arenite.target import Target
from tests.libraries.esp_nn.shapes import conv

PLAIN = [c.name for c in CORES.values() if c.family == "esp" and c.instructions == "plain"]
#: okay_nabu's first layer: windows of 5 over 40 channels, three steps at a time.
FIRST = conv((5, 1, 40), (5, 1), channels=32, stride=(3, 1))


def on(chip: str, version: str) -> Target:
    return Target(chip, library_version=version)


@pytest.mark.parametrize("chip", PLAIN)
@pytest.mark.parametrize("version", FACTS.versions)
def test_generic_c_takes_none(chip: str, version: str) -> None:
    assert scratch.conv_2d(FIRST, on(chip, version)) == {}
    assert scratch.depthwise_conv_2d(FIRST, on(chip, version)) == {}


@pytest.mark.parametrize(
    ("version", "size"),
    [("1.1.2", 7_840), ("1.2.0", 7_840), ("1.2.1", 15_800), ("1.2.3", 15_832), ("1.2.6", 15_552)],
)
def test_the_first_layer_of_okay_nabu_grows_with_1_2_1(version: str, size: int) -> None:
    """Filters of 5 x 48 x 32 bytes and sums; from 1.2.1 on the same once more, and the image."""
    assert scratch.size(scratch.conv_2d(FIRST, on("esp32s3", version))) == size


def test_the_parts_are_named() -> None:
    assert scratch.conv_2d(FIRST, on("esp32s3", "1.2.1")) == {
        "filters in 16 channels": 7_680,
        "sums of filters": 128,
        "margin": 32,
        "filters' rows in 16 bytes": 7_680,
        "image with its overhang": 280,
    }


def test_1x1_filters_take_channels_by_eight() -> None:
    parts = scratch.conv_2d(conv((4, 4, 12), (1, 1), channels=10), on("esp32s3", "1.1.2"))
    assert parts == {
        "image in 8 channels": 256,
        "filters in 8 channels": 160,
        "8 pixels transposed": 256,
        "margin": 32,
    }


def test_short_rows_are_im2col_from_1_2_1_on() -> None:
    shape = conv((8, 8, 3), (3, 3), pad=(1, 1))
    assert "im2col" not in scratch.conv_2d(shape, on("esp32s3", "1.2.0"))
    parts = scratch.conv_2d(shape, on("esp32s3", "1.2.2"))
    assert parts == {"sums of filters": 32, "filters as windows": 272, "im2col": 48, "margin": 32}


@pytest.mark.parametrize(("version", "margin"), [("1.1.2", 16), ("1.2.0", 32), ("1.2.3", 32)])
def test_depthwise_over_eight_channels_widens_to_int16(version: str, margin: int) -> None:
    parts = scratch.depthwise_conv_2d(conv((5, 5, 8), (3, 3)), on("esp32s3", version))
    assert scratch.size(parts) == 2 * (72 + 200) + margin


def test_the_p4_has_sizes_of_its_own_from_1_2_3_on() -> None:
    shape = conv((8, 8, 16), (3, 3))
    before, after = (
        scratch.size(scratch.conv_2d(shape, on("esp32p4", v))) for v in ("1.2.2", "1.2.3")
    )
    assert (before, after) == (1_216, 1_216)
    padded = conv((8, 8, 16), (3, 3), pad=(1, 1))
    before, after = (
        scratch.size(scratch.conv_2d(padded, on("esp32p4", v))) for v in ("1.2.2", "1.2.3")
    )
    assert (before, after) == (1_600 + 1_216, 32 + 144 + 32)


def test_a_softmax_keeps_an_exponential_for_each_value_of_the_second_dimension() -> None:
    assert scratch.size(scratch.softmax((1, 10))) == 40


def test_an_image_is_padded_once_from_1_2_6_on() -> None:
    """Windows inside an image need none; until 1.2.3 it was copied with its steps."""
    shape = conv((5, 5, 16), (3, 3), stride=(2, 2))
    assert "image with its overhang" in scratch.conv_2d(shape, on("esp32s3", "1.2.3"))
    assert "padded image" not in scratch.conv_2d(shape, on("esp32s3", "1.2.6"))
    padded = conv((8, 8, 16), (3, 3), pad=(1, 1))
    parts = scratch.conv_2d(padded, on("esp32s3", "1.2.6"))
    assert parts["padded image"] == 10 * 10 * 16
