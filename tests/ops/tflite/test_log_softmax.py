"""LOG_SOFTMAX equals TFLM on random shapes, scales and types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.tflite.log_softmax import LogSoftmaxOptions
from tests.ops.differential import agrees, differential, equals_tflm
from tests.ops.unary import Affine, run, scales, unary_model

OUTPUT = (1 / 16, 127)


def model(
    shape: tuple[int, ...], kind: str = "int8", scale: float = 0.1, y: Affine = OUTPUT
) -> Model:
    x = None if kind == "float32" else (scale, 0)
    return unary_model(
        "LOG_SOFTMAX", shape, kind, LogSoftmaxOptions(), x=x, y=None if x is None else y
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int8", "float32"]))
    outer = draw(st.lists(st.integers(1, 4), max_size=3))
    depth = draw(st.one_of(st.integers(1, 20), st.integers(1, 1000)))
    return model((*outer, depth), kind, draw(scales(-6, 3)))


test_equals_tflm = equals_tflm(models())


@differential
@given(depth=st.integers(1, 4000), scale=scales(-4, 0), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm_on_values_near_the_maximum(oracle, depth, scale, seed):
    x = np.random.default_rng(seed).integers(120, 128, (2, depth)).astype(np.int8)
    agrees(oracle, model((2, depth), "int8", scale), 0, inputs=[x])


def test_a_row_of_equal_values_is_the_logarithm_of_its_length():
    got = run(model((1, 4)), np.full((1, 4), 7))
    np.testing.assert_array_equal(got, np.full((1, 4), 127 - round(np.log(4) * 16)))


def test_float_rows_are_independent():
    got = run(model((2, 2), "float32"), [[0, 0], [1000, 0]])
    np.testing.assert_allclose(got, [[-0.6931472, -0.6931472], [0, -1000]], rtol=1e-6)


@pytest.mark.parametrize("y", [(1 / 32, 127), (1 / 16, 126)])
def test_another_output_quantisation_is_refused(oracle, y):
    refused = model((1, 4), y=y)
    with pytest.raises(ConstraintError, match="scale 1/16 and zero point 127"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.parametrize("scale", [1e-9, 2.0**-26])
def test_a_tiny_scale_is_refused(oracle, scale):
    refused = model((1, 4), scale=scale)
    with pytest.raises(ConstraintError, match="must be greater than 1"):
        run(refused, 0)
    assert agrees(oracle, refused, 0).status != "ok"


def test_a_row_whose_sum_does_not_fit_is_refused():
    with pytest.raises(ConstraintError, match="must be less than 4096"):
        run(model((1, 4096)), 0)
