"""MNN_AVERAGE_POOL: means of windows of int8, cut off as MNN cuts them off."""

import numpy as np

from arenite.mnn.operators.average_pool import MnnAveragePoolOptions
from arenite.ops.shared.window import Placement
from tests.mnn.operator_models import Fed, Single, outputs_of, single


def mean(width: int, *, filter_width: int, outputs: int, padding: int = 0) -> Single:
    """Means along a row of an image."""
    options = MnnAveragePoolOptions(
        filter_height=1,
        filter_width=filter_width,
        stride_h=1,
        stride_w=1,
        placement=Placement((1, outputs), (0, padding)),
    )
    row = Fed((1, 1, width, 1), "int8", 0.1)
    return single("AVERAGE_POOL", [row], Fed((1, 1, outputs, 1), "int8", 0.1), options)


def of(operator: Single, *row: int) -> list[int]:
    """The means of a row."""
    (y,) = outputs_of(operator, np.int8(row).reshape(1, 1, -1, 1))
    return [int(n) for n in y.reshape(-1)]


def test_every_window_becomes_its_mean() -> None:
    assert of(mean(3, filter_width=2, outputs=2), 10, 20, -40) == [15, -10]


def test_what_is_left_over_is_cut_off_from_the_distance_to_minus_128() -> None:
    two = mean(2, filter_width=2, outputs=1)
    assert of(two, 0, 1) == [0]
    assert of(two, 0, -1) == [-1]


def test_a_third_is_a_little_less_than_a_third() -> None:
    # 3 * (2**24 // 3) is 2**24 - 1.
    assert of(mean(3, filter_width=3, outputs=1), -127, -127, -127) == [-128]
    assert of(mean(4, filter_width=4, outputs=1), -127, -127, -127, -127) == [-127]


def test_only_elements_inside_the_image_count() -> None:
    assert of(mean(2, filter_width=3, outputs=2, padding=1), 10, 20) == [15, 15]
    assert of(mean(2, filter_width=2, outputs=3, padding=1), 10, 20) == [10, 15, 20]
