"""LOGISTIC and TANH, as far as they are alike."""

import pytest

from arenite.errors import ConstraintError
from tests.ops.differential import agrees
from tests.ops.sigmoids import OUTPUTS, sigmoid
from tests.ops.unary import INT8, INT16, run, unary_model


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("scale", [1e-6, 0.004, 0.0625, 0.3, 900])
def test_equals_tflm_on_every_int8(oracle, name, scale):
    assert agrees(oracle, sigmoid(name, "int8", scale), 0, inputs=[INT8]).status == "ok"


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("scale", [1e-6, 2**-12, 2**-11, 3e-4, 0.3, 900])
def test_equals_tflm_on_every_int16(oracle, name, scale):
    model = sigmoid(name, "int16", scale, shape=(65536,))
    assert agrees(oracle, model, 0, inputs=[INT16]).status == "ok"


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize(
    ("x", "y"),
    [((0.1, 1), (2**-15, 0)), ((0.1, 0), (2**-15, 1)), ((0.1, 0), (2**-14, 0))],
)
def test_int16_that_is_not_symmetric_is_refused(oracle, name, x, y):
    refused = unary_model(name, (4,), "int16", x=x, y=y)
    with pytest.raises(ConstraintError, match=r"zero points 0 and the output scale 2\*\*-15"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_tiny_int8_scale_is_refused(name):
    with pytest.raises(ConstraintError, match=r"at least 2\*\*-28, got 1e-10"):
        run(sigmoid(name, "int8", 1e-10), 0)
