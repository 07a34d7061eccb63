"""MNN_RESIZE_CUBIC: images in another size, by four weighted neighbours."""

import numpy as np

from arenite.mnn.operators.resize_cubic import MnnResizeCubicOptions
from tests.mnn.operator_models import Fed, outputs_of, single

ALIKE = (1.0, 0.0)
#: What a neighbour at a distance of a half weighs, and one at a distance of one and a half.
NEAR, FAR = 0.59375, -0.09375


def resized(image: list[list[float]], options: MnnResizeCubicOptions) -> list[list[float]]:
    """An image of one channel in another size."""
    x = np.float32(image)[None, ..., None]
    operator = single("RESIZE_CUBIC", [Fed(x.shape)], Fed((1, *options.size, 1)), options)
    (y,) = outputs_of(operator, x)
    return [[float(n) for n in row] for row in y[0, ..., 0]]


def across(scale: float, outputs: int, offset: float = 0.0) -> MnnResizeCubicOptions:
    """Columns at ``scale * index + offset``, of one row."""
    return MnnResizeCubicOptions((1, outputs), ALIKE, (scale, offset))


def test_a_position_on_a_pixel_takes_it() -> None:
    assert resized([[1, 2, 4]], across(2.0, 2)) == [[1, 4]]


def test_between_pixels_four_of_them_count() -> None:
    assert 2 * (NEAR + FAR) == 1
    for place, weight in enumerate((FAR, NEAR, NEAR, FAR)):
        image = [[1.0 if column == place else 0.0 for column in range(4)]]
        assert resized(image, across(1.0, 1, 1.5)) == [[weight]]


def test_rows_are_weighted_alike() -> None:
    options = MnnResizeCubicOptions((1, 1), (1.0, 1.5), ALIKE)
    assert resized([[0], [1], [0], [0]], options) == [[NEAR]]


def test_outside_lies_the_border() -> None:
    # Neighbours at -1 and 0 are both the first pixel.
    assert resized([[1, 0, 0]], across(1.0, 1, 0.5)) == [[FAR + NEAR]]
