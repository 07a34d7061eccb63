"""MAX_POOL_2D equals TFLM on random windows, quantisation, activations and types."""

from tests.ops.convolutions import exact_inputs, run
from tests.ops.differential import equals_tflm, refuses_in_words
from tests.ops.pooling import bad_poolings, pooling, pooling_models

test_equals_tflm = equals_tflm(pooling_models("MAX_POOL_2D"), inputs=exact_inputs)


def test_padding_is_never_the_largest() -> None:
    model = pooling("MAX_POOL_2D", (1, 3), (1, 3), padding=0)
    assert run(model, [-128, -128, -5]) == [[[[-128], [-5], [-5]]]]


def test_activation_clamps() -> None:
    model = pooling("MAX_POOL_2D", (1, 2), (1, 1), activation=3, scales=(0.5, 0.5))
    assert run(model, [-7, 100]) == [[[[0], [12]]]]


def test_a_nan_is_never_the_largest() -> None:
    model = pooling("MAX_POOL_2D", (1, 2), (1, 2), kind="float32")
    assert run(model, [float("nan"), 1.0]) == [[[[1.0]]]]


def test_windows_larger_than_any_image_are_cut() -> None:
    model = pooling("MAX_POOL_2D", (2, 2), (2**31 - 1, 2**31 - 1), padding=0)
    assert run(model, [1, 2, 3, 6]) == [[[[6], [6]], [[6], [6]]]]


test_refuses = refuses_in_words(*bad_poolings("MAX_POOL_2D"))
