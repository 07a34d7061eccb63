"""MNN_CONV_INT8: int8 convolutions, rescaled in floats.

Images are given as ``x + 128``, which is what MNN multiplies.
"""

import numpy as np
import pytest

from arenite.mnn.operators.conv_int8 import MnnConvInt8Options
from arenite.ops.shared.window import Placement
from tests.mnn.operator_models import Array, Fed, outputs_of, single

WHOLE = (-128, 127)


def convolved(
    image: list[list[int]],
    weights: Array,
    options: MnnConvInt8Options,
    *,
    bias: Array | None = None,
    factor: float = 1.0,
) -> list[list[float]]:
    """A row of pixels, with their channels, convolved."""
    x = (np.array(image) - 128).astype(np.int8)[None, None]
    filters = weights.shape[3] if options.depthwise else weights.shape[0]
    bias = np.zeros(filters, np.float32) if bias is None else bias
    output = Fed(
        (1, *options.placement.output_size, filters), "int8" if options.clamp else "float32"
    )
    inputs = [Fed(x.shape, "int8"), weights, bias, np.full(filters, factor, np.float32)]
    (y,) = outputs_of(single("CONV_INT8", inputs, output, options), x)
    return [[float(n) for n in pixel] for pixel in y[0, 0]]


def pixels(count: int, padding: int = 0) -> Placement:
    """So many positions along a row."""
    return Placement((1, count), (0, padding))


def test_every_filter_sums_its_products() -> None:
    weights = np.int8([[1, 2], [3, -1]]).reshape(2, 1, 1, 2)
    options = MnnConvInt8Options(pixels(2), clamp=WHOLE)
    assert convolved([[10, 20], [1, 0]], weights, options) == [[50, 10], [1, 3]]


def test_zero_lies_around_the_image() -> None:
    weights = np.int8([1, 2, 4]).reshape(1, 1, 3, 1)
    nothing = MnnConvInt8Options(pixels(2, 1), zero=-128, clamp=WHOLE)
    assert convolved([[10], [20]], weights, nothing) == [[100], [50]]
    one = MnnConvInt8Options(pixels(2, 1), zero=-127, clamp=WHOLE)
    assert convolved([[10], [20]], weights, one) == [[101], [54]]


def test_stride_and_dilation() -> None:
    weights = np.int8([1, 10]).reshape(1, 1, 2, 1)
    options = MnnConvInt8Options(pixels(2), (1, 2), (1, 2), clamp=WHOLE)
    assert convolved([[1], [2], [3], [4], [5]], weights, options) == [[31], [53]]


def test_depthwise_each_channel_has_its_filter() -> None:
    weights = np.int8([2, 3]).reshape(1, 1, 1, 2)
    options = MnnConvInt8Options(pixels(1), clamp=WHOLE, depthwise=True)
    assert convolved([[10, 20]], weights, options) == [[20, 60]]


def test_groups_see_their_own_channels() -> None:
    weights = np.int8([2, 3]).reshape(2, 1, 1, 1)
    options = MnnConvInt8Options(pixels(1), clamp=WHOLE)
    assert convolved([[10, 20]], weights, options) == [[20, 60]]


@pytest.mark.parametrize(
    ("kind", "wanted"), [("int32", (30 + 4) * 0.25), ("float32", 30 * 0.25 + 4)]
)
def test_a_bias_of_integers_is_multiplied_with_the_sum(kind: str, wanted: float) -> None:
    options = MnnConvInt8Options(pixels(1))
    weights, bias = np.int8([3]).reshape(1, 1, 1, 1), np.array([4], kind)
    assert convolved([[10]], weights, options, bias=bias, factor=0.25) == [[wanted]]


def test_halves_go_away_from_zero() -> None:
    weights = np.int8([1, -1]).reshape(2, 1, 1, 1)
    options = MnnConvInt8Options(pixels(1), clamp=WHOLE)
    assert convolved([[5]], weights, options, factor=0.5) == [[3, -3]]


def test_the_output_is_clamped() -> None:
    weights = np.int8([1, -1]).reshape(2, 1, 1, 1)
    options = MnnConvInt8Options(pixels(1), clamp=(-20, 30))
    assert convolved([[50]], weights, options) == [[30, -20]]


def test_floats_are_cut_off_at_0_where_relu_says_so() -> None:
    weights = np.int8([1, -1]).reshape(2, 1, 1, 1)
    assert convolved([[5]], weights, MnnConvInt8Options(pixels(1))) == [[5, -5]]
    assert convolved([[5]], weights, MnnConvInt8Options(pixels(1), relu=True)) == [[5, 0]]
