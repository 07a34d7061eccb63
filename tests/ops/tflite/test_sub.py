"""SUB equals TFLM on random shapes, types, quantisation and activations."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.sub import SubOptions
from tests.ops.binary import arithmetic_models, binary_model, run
from tests.ops.differential import agrees, equals_tflm

test_equals_tflm = equals_tflm(
    arithmetic_models(
        "SUB",
        max,
        st.builds(SubOptions, st.integers(0, 3), st.booleans()),
        # The output ratio must be under 1: 2 * max(a, b) < 2**15 * y.
        least=lambda a, b: max(a, b) * 1e-4,
    )
)


def test_int8_subtracts_real_values():
    model = binary_model(
        "SUB", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.5), zero_points=(1, 0, -1)
    )
    # 0.5 * (9 - 1) - 0.25 * 4 = 3 = 0.5 * (5 - -1)
    np.testing.assert_array_equal(run(model, [9, 127, -128], [4, -128, 127]), [5, 127, -128])


def test_the_second_input_is_subtracted_from_the_first_when_either_broadcasts():
    np.testing.assert_array_equal(
        run(binary_model("SUB", ((3,), ()), "float32"), [1, 2, 3], 1), [0, 1, 2]
    )
    np.testing.assert_array_equal(
        run(binary_model("SUB", ((1,), (3, 1)), "float32"), 1, [[1], [2], [3]]), [[0], [-1], [-2]]
    )


def test_int32_wraps_and_then_takes_the_activation():
    model = binary_model("SUB", ((3,), (1,)), "int32", SubOptions(fused_activation_function=3))
    np.testing.assert_array_equal(run(model, [-(2**31), 5, 2], 4), [6, 1, 0])


def test_quantised_int32_is_refused(oracle):
    refused = binary_model("SUB", ((2,), (2,)), "int32", scales=(1.0, 1.0, 1.0))
    with pytest.raises(ConstraintError, match="the int32 output have no quantisation"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"
