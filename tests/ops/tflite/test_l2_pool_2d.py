"""L2_POOL_2D equals TFLM on random windows and activations."""

import numpy as np

from tests.ops.convolutions import run
from tests.ops.differential import equals_tflm, refuses_in_words
from tests.ops.pooling import pooling, pooling_models
from tests.ops.unary import float_inputs

test_equals_tflm = equals_tflm(
    pooling_models("L2_POOL_2D", "float32"),
    inputs=lambda model, seed: float_inputs(model, seed, -3, 3),
    invokes=3,
)


def test_the_root_of_the_mean_of_squares() -> None:
    model = pooling("L2_POOL_2D", (1, 2), (1, 2), kind="float32")
    assert run(model, [1.0, 7.0]) == [[[[5.0]]]]


def test_padding_does_not_count() -> None:
    model = pooling("L2_POOL_2D", (1, 3), (1, 3), kind="float32", padding=0)
    np.testing.assert_allclose(
        run(model, [1.0, 7.0, 0.0]), [[[[5], [(50 / 3) ** 0.5], [24.5**0.5]]]]
    )


def test_the_activation_clamps() -> None:
    model = pooling("L2_POOL_2D", (1, 2), (1, 2), kind="float32", activation=3)
    assert run(model, [8.0, -8.0]) == [[[[6.0]]]]


test_refuses = refuses_in_words(
    (pooling("L2_POOL_2D", (2, 2), (3, 3), kind="float32"), "does not fit an input of (2, 2)"),
    (pooling("L2_POOL_2D", (2, 2), (1, 1), kind="float32", stride=0), "must be at least 1"),
    (pooling("L2_POOL_2D", (2, 2), (1, 1)), "is one of: float32"),
)
