"""MUL equals TFLM on random shapes, types, quantisation and activations."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.mul import MulOptions
from tests.ops.binary import arithmetic_models, binary_model, run
from tests.ops.differential import agrees, equals_tflm

test_equals_tflm = equals_tflm(
    arithmetic_models("MUL", lambda a, b: 60 * a * b, st.builds(MulOptions, st.integers(0, 3)))
)


def test_int8_multiplies_real_values():
    model = binary_model(
        "MUL", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.5), zero_points=(1, 0, -1)
    )
    # 0.5 * (9 - 1) * 0.25 * 4 = 4 = 0.5 * (7 - -1)
    np.testing.assert_array_equal(run(model, [9, 127, -128], [4, -128, 127]), [7, -128, -128])


def test_int8_is_the_same_for_few_and_many_values():
    scales, rng = (0.3, 0.7, 0.9), np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (2, 32, 32), dtype=np.int8)
    many = run(binary_model("MUL", ((32, 32), (32, 32)), "int8", scales=scales), a, b)
    few = binary_model("MUL", ((32,), (32,)), "int8", scales=scales)
    np.testing.assert_array_equal(many, [run(few, x, y) for x, y in zip(a, b, strict=True)])


def test_int32_wraps_and_then_takes_the_activation():
    model = binary_model("MUL", ((3,), (1,)), "int32", MulOptions(fused_activation_function=1))
    np.testing.assert_array_equal(run(model, [2**30 + 1, 5, -2], 4), [4, 20, 0])


def test_an_infinite_product_becomes_the_largest_float():
    got = run(binary_model("MUL", ((2,), (2,)), "float32"), [1e30, -1e30], [1e30, 1e30])
    np.testing.assert_array_equal(got, np.array([3.4028235e38, -3.4028235e38], np.float32))


def test_int16_with_a_zero_point_is_refused(oracle):
    refused = binary_model(
        "MUL", ((2,), (2,)), "int16", scales=(1.0, 1.0, 1.0), zero_points=(0, 1, 0)
    )
    with pytest.raises(ConstraintError, match="int16 output have zero points 0"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_int8_without_a_scale_is_the_zero_point(oracle):
    model = binary_model("MUL", ((2,), (2,)), "int8")
    assert agrees(oracle, model, 0).outputs[0][0].tolist() == [0, 0]
