"""MNN_LAYER_NORM: rows with mean 0 and variance 1."""

import numpy as np

from arenite.mnn.operators.layer_norm import MnnLayerNormOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def normalised(x: Array, options: MnnLayerNormOptions, *constants: Array) -> list[float]:
    """The normalised rows."""
    tensor = Fed(x.shape)
    (y,) = outputs_of(single("LAYER_NORM", [tensor, *constants], tensor, options), x)
    return list(y.tolist())


def test_a_row_gets_mean_0_and_variance_1() -> None:
    x = np.float32([[1, 3], [10, 30]])
    assert normalised(x, MnnLayerNormOptions(1)) == [[-1, 1], [-1, 1]]


def test_several_axes_are_one_row() -> None:
    x = np.float32([[[1, 3], [3, 1]]])
    assert normalised(x, MnnLayerNormOptions(2)) == [[[-1, 1], [1, -1]]]


def test_epsilon_is_added_to_the_variance() -> None:
    assert normalised(np.float32([1, 3]), MnnLayerNormOptions(1, 3.0)) == [-0.5, 0.5]


def test_factor_and_bias_of_every_element() -> None:
    constants = np.float32([2, 4]), np.float32([10, 20])
    assert normalised(np.float32([1, 3]), MnnLayerNormOptions(1), *constants) == [8, 24]


def test_rms_divides_by_the_root_of_the_mean_square() -> None:
    y = normalised(np.float32([1, 7]), MnnLayerNormOptions(1, rms=True))
    assert np.float32(y).tolist() == np.float32([0.2, 1.4]).tolist()
