"""ADD equals TFLM on random shapes, types, quantisation and activations."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.ops.tflite.add import AddOptions
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.binary import arithmetic_models, binary_model, run
from tests.ops.differential import agrees, equals_tflm

RELU6 = AddOptions(fused_activation_function=3)


test_equals_tflm = equals_tflm(
    arithmetic_models(
        "ADD",
        max,
        st.builds(AddOptions, st.integers(0, 3), st.booleans()),
        # The output ratio must be under 1: 2 * max(a, b) < 2**15 * y.
        least=lambda a, b: max(a, b) * 1e-4,
    )
)


def test_int8_adds_real_values():
    model = binary_model(
        "ADD", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.5), zero_points=(1, 0, -1)
    )
    # 0.5 * (3 - 1) + 0.25 * 4 = 2 = 0.5 * (3 - -1)
    np.testing.assert_array_equal(run(model, [3, 127, -128], [4, 127, -128]), [3, 127, -128])


def test_int8_is_the_same_for_few_and_many_values(oracle):
    scales, rng = (0.3, 0.7, 0.2), np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (2, 32, 32), dtype=np.int8)
    many = run(binary_model("ADD", ((32, 32), (32, 32)), "int8", scales=scales), a, b)
    few = binary_model("ADD", ((32,), (32,)), "int8", scales=scales)
    np.testing.assert_array_equal(many, [run(few, x, y) for x, y in zip(a, b, strict=True)])


def test_a_fused_activation_clamps():
    model = binary_model("ADD", ((3,), ()), "float32", RELU6)
    np.testing.assert_array_equal(run(model, [-9, 2, 9], 1), [0, 3, 6])


def test_int32_wraps_and_knows_no_activation(oracle):
    model = binary_model("ADD", ((2,), (1,)), "int32", RELU6)
    np.testing.assert_array_equal(run(model, [2**31 - 1, 9], 1), [-(2**31), 10])
    agrees(oracle, model, 0)


def test_quantised_int32_is_refused(oracle):
    refused = binary_model("ADD", ((2,), (2,)), "int32", scales=(1.0, 1.0, 1.0))
    with pytest.raises(ConstraintError, match="int32 inputs have no quantisation"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


def test_int8_without_quantisation_is_refused(oracle):
    refused = binary_model("ADD", ((2,), (2,)), "int8")
    with pytest.raises(ConstraintError, match="must be between 0 and 1, got nan"):
        run(refused)
    assert agrees(oracle, refused, 0).status != "ok"


def test_an_output_scale_that_is_too_small_is_refused(oracle):
    refused = binary_model("ADD", ((2,), (2,)), "int16", scales=(1.0, 1.0, 1e-5))
    with pytest.raises(ConstraintError, match=r"output\) must be between 0 and 1, got 6\.1"):
        run(refused)
    assert agrees(oracle, refused, 0).status != "ok"


def test_shapes_that_do_not_broadcast_are_refused():
    model = binary_model("ADD", ((2, 3), (1, 3)), "float32")
    tensors = model.main.tensors
    object.__setattr__(tensors[1], "shape", (2, 2))
    with pytest.raises(ConstraintError, match="each is equal or 1 in one of them"):
        run(model)


def test_an_output_of_another_shape_keeps_it(oracle):
    b = ModelBuilder()
    x, y = b.input("x", (1, 3), "float32"), b.tensor("y", (3,), "float32")
    b.operator("ADD", [x, x], [y], AddOptions())
    b.output(y)
    micro = MicroInterpreter(b.build(), AllOpsResolver(), 4096)
    micro.allocate_tensors()
    micro.input()[...] = [[1, -2, 3]]
    micro.invoke()
    np.testing.assert_array_equal(micro.output(), [2, -4, 6])
    assert agrees(oracle, b.build(), 0).status == "ok"
