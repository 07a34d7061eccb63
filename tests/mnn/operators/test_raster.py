"""MNN_RASTER: pieces of the inputs, copied by strides."""

import numpy as np
import pytest

from arenite.mnn.operators.raster import MnnRasterOptions, Region
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def raster(elements: int, regions: list[Region], *inputs: Array) -> list[float]:
    """A vector of so many elements, made of pieces."""
    kind = inputs[0].dtype.name
    fed = [Fed(x.shape, kind) for x in inputs]
    options = MnnRasterOptions(tuple(regions))
    (y,) = outputs_of(single("RASTER", fed, Fed((elements,), kind), options), *inputs)
    return list(y.tolist())


@pytest.mark.parametrize("kind", ["int8", "int16", "float32", "int64"])
def test_a_matrix_is_turned(kind: str) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], kind)
    assert raster(6, [Region.whole((3, 2), (1, 3))], x) == [1, 4, 2, 5, 3, 6]


def test_negative_strides_go_backwards() -> None:
    assert raster(3, [Region(0, 5, (-2,), 0, (1,), (3,))], np.int8([0, 1, 2, 3, 4, 5])) == [5, 3, 1]


def test_a_stride_of_0_repeats() -> None:
    assert raster(3, [Region(0, 1, (0,), 0, (1,), (3,))], np.int8([7, 8])) == [8, 8, 8]


def test_pieces_come_from_several_inputs() -> None:
    regions = [Region(0, 0, (1,), 0, (1,), (2,)), Region(1, 0, (1,), 2, (1,), (1,))]
    assert raster(3, regions, np.int8([1, 2]), np.int8([3])) == [1, 2, 3]


def test_what_no_piece_covers_is_0() -> None:
    assert raster(4, [Region(0, 0, (1,), 1, (2,), (2,))], np.int8([1, 2])) == [0, 1, 0, 2]


def test_of_pieces_over_each_other_the_last_one_stays() -> None:
    regions = [Region(0, 0, (1,), 0, (1,), (3,)), Region(0, 0, (1,), 1, (1,), (1,))]
    assert raster(3, regions, np.int8([1, 2, 3])) == [1, 1, 3]
