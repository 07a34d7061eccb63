"""MNN_RESIZE_BILINEAR_INT8: int8 images in another size, by weights in 128ths."""

import numpy as np

from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Options
from tests.mnn.operator_models import Array, Fed, outputs_of, single

ALIKE = (1.0, 0.0)


def resized(
    image: list[list[int]], options: MnnResizeBilinearInt8Options, zeros: tuple[int, int] = (0, 0)
) -> list[list[int]]:
    """An image of one channel in another size."""
    x: Array = np.int8(image)[None, ..., None]
    output = Fed((1, *options.size, 1), "int8", 0.1, zeros[1])
    operator = single(
        "RESIZE_BILINEAR_INT8", [Fed(x.shape, "int8", 0.1, zeros[0])], output, options
    )
    (y,) = outputs_of(operator, x)
    return [[int(n) for n in row] for row in y[0, ..., 0]]


def across(scale: float, outputs: int, offset: float = 0.0) -> MnnResizeBilinearInt8Options:
    """Columns at ``scale * index + offset``, of one row."""
    return MnnResizeBilinearInt8Options((1, outputs), ALIKE, (scale, offset))


def test_between_two_columns_lies_their_mean() -> None:
    assert resized([[0, 100]], across(0.5, 3)) == [[0, 50, 100]]


def test_between_two_rows_too() -> None:
    options = MnnResizeBilinearInt8Options((3, 1), (0.5, 0.0), ALIKE)
    assert resized([[0], [100]], options) == [[0], [50], [100]]


def test_outside_lies_the_border() -> None:
    assert resized([[10, 20]], across(1.0, 4, -1.0)) == [[10, 10, 20, 20]]


def test_halves_go_away_from_zero() -> None:
    assert resized([[0, 1]], across(1.0, 1, 0.5)) == [[1]]
    assert resized([[0, -1]], across(1.0, 1, 0.5)) == [[-1]]


def test_weights_that_are_cut_off_may_miss_128_together() -> None:
    # Two thirds and one third are 85 and 42 of 128: 100 becomes 99.2.
    assert resized([[100, 100]], across(1.0, 1, 1 / 3)) == [[99]]


def test_what_int8_does_not_hold_wraps_around() -> None:
    assert resized([[127]], across(1.0, 1), (-128, 0)) == [[255 - 256]]
    assert resized([[-28]], across(1.0, 1), (-128, -100)) == [[0]]
