"""SQUARED_DIFFERENCE equals TFLM on random shapes, types and quantisation."""

import numpy as np
import pytest

from arenite.errors import ConstraintError
from tests.ops.binary import arithmetic_models, binary_model, run
from tests.ops.differential import agrees, equals_tflm
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(
    arithmetic_models("SQUARED_DIFFERENCE", lambda a, b: max(a, b) ** 2 * 300), invokes=3
)


def test_int8_squares_the_difference_of_real_values() -> None:
    model = binary_model(
        "SQUARED_DIFFERENCE", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.5), zero_points=(1, 0, -1)
    )
    # (0.5 * (9 - 1) - 0.25 * 4)**2 = 9 = 0.5 * (17 - -1)
    np.testing.assert_array_equal(run(model, [9, 127, 1], [4, -128, 0]), [17, 127, -1])


def test_floats_broadcast() -> None:
    model = binary_model("SQUARED_DIFFERENCE", ((2, 1), (3,)), "float32")
    np.testing.assert_array_equal(run(model, [[1], [5]], [1, 2, 3]), [[0, 1, 4], [16, 9, 4]])


def test_int32_wraps(oracle: Oracle) -> None:
    model = binary_model("SQUARED_DIFFERENCE", ((2,), ()), "int32")
    inputs = [np.array([70000, -(2**31)], np.int32), np.array(0, np.int32)]
    np.testing.assert_array_equal(run(model, *inputs), [70000**2 - 2**32, 0])
    assert agrees(oracle, model, 0, inputs=inputs).status == "ok"


def test_int16_with_zero_points_is_refused(oracle: Oracle) -> None:
    refused = binary_model(
        "SQUARED_DIFFERENCE", ((2,), (2,)), "int16", scales=(1, 1, 1), zero_points=(0, 0, 1)
    )
    with pytest.raises(ConstraintError, match="the int16 output have zero points 0"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


def test_int8_without_quantisation_is_refused(oracle: Oracle) -> None:
    refused = binary_model("SQUARED_DIFFERENCE", ((2,), (2,)), "int8")
    with pytest.raises(ConstraintError, match="must be between 0 and 1, got nan"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "crashed"
