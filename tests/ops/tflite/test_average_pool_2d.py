"""AVERAGE_POOL_2D equals TFLM on random windows, quantisation, activations and types."""

import pytest

from tests.ops.convolutions import exact_inputs, run
from tests.ops.differential import equals_tflm, refuses_in_words
from tests.ops.pooling import bad_poolings, pooling, pooling_models

test_equals_tflm = equals_tflm(pooling_models("AVERAGE_POOL_2D"), inputs=exact_inputs)


@pytest.mark.parametrize(
    ("values", "expected"), [([1, 2], 2), ([-1, -2], -2), ([-1, 1], 0), ([-128, -127], -128)]
)
def test_halves_round_away_from_zero(values: list[int], expected: int) -> None:
    assert run(pooling("AVERAGE_POOL_2D", (1, 2), (1, 2)), values) == [[[[expected]]]]


def test_padding_does_not_count() -> None:
    model = pooling("AVERAGE_POOL_2D", (1, 3), (1, 3), padding=0)
    assert run(model, [10, 20, 60]) == [[[[15], [30], [40]]]]


def test_floats_are_averaged_and_clamped() -> None:
    model = pooling("AVERAGE_POOL_2D", (1, 2), (1, 2), kind="float32", activation=3)
    assert run(model, [1.0, 2.5]) == [[[[1.75]]]]
    assert run(model, [9.0, 8.0]) == [[[[6.0]]]]


def test_windows_larger_than_any_image_are_cut() -> None:
    model = pooling("AVERAGE_POOL_2D", (2, 2), (2**31 - 1, 2**31 - 1), padding=0)
    assert run(model, [1, 2, 3, 6]) == [[[[3], [3]], [[3], [3]]]]


test_refuses = refuses_in_words(*bad_poolings("AVERAGE_POOL_2D"))
