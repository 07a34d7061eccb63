"""MNN_LRN: local response normalisation."""

import numpy as np

from arenite.mnn.operators.lrn import MnnLrnOptions
from tests.mnn.operator_models import Array, Fed, outputs_of, single


def normalised(x: Array, options: MnnLrnOptions) -> Array:
    """The normalised elements."""
    (y,) = outputs_of(single("LRN", [Fed(x.shape)], Fed(x.shape), options), x)
    return y


def same(got: Array, *wanted: float) -> None:
    """Equal but for the last bits of float32."""
    np.testing.assert_allclose(got.reshape(-1), wanted, rtol=1e-6)


def test_the_mean_counts_zeros_outside() -> None:
    # bias + alpha * mean is 1 + (1 + 4), 1 + (1 + 4 + 9), 1 + (4 + 9).
    y = normalised(np.float32([1, 2, 3]), MnnLrnOptions(3, 3.0, 1.0, axes=(0,)))
    same(y, 1 / 6, 2 / 15, 3 / 14)


def test_beta_is_the_power_of_the_divisor() -> None:
    y = normalised(np.float32([2]), MnnLrnOptions(1, 1.0, 0.5, bias=5.0, axes=(0,)))
    same(y, 2 / 3)


def test_an_even_window_has_one_more_before() -> None:
    y = normalised(np.float32([1, 2, 3]), MnnLrnOptions(2, 2.0, 1.0, axes=(0,)))
    same(y, 1 / 2, 2 / 6, 3 / 14)


def test_a_window_over_two_axes() -> None:
    # Every window of 3 by 3 holds all four elements.
    x = np.float32([[1, 1], [1, 1]])
    same(normalised(x, MnnLrnOptions(3, 9.0, 1.0, axes=(0, 1))), *[1 / 5] * 4)


def test_what_is_infinite_stays_within_its_windows() -> None:
    x = np.float32([1, 1, np.inf, 1, 1, 1])
    y = normalised(x, MnnLrnOptions(3, 3.0, 1.0, axes=(0,)))
    same(y[[0, 4, 5]], 1 / 3, 1 / 4, 1 / 3)
