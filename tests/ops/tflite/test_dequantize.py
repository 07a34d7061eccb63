"""DEQUANTIZE equals TFLM for every type, scale and zero point."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from tests.ops.differential import equals_tflm, one_operator, run_arenite


def model(
    source: str,
    shape: tuple[int, ...],
    scale: float | None,
    zero_point: int = 0,
    target: str = "float32",
) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, source, scale=scale, zero_point=zero_point)
    y = b.tensor("y", shape, target)
    return one_operator(b, "DEQUANTIZE", [x], [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    source = draw(st.sampled_from(["int8", "int16", "uint8"]))
    shape = tuple(draw(st.lists(st.integers(1, 7), max_size=4)))
    scale = draw(st.none() | st.floats(-38, 37).map(lambda n: 10.0**n))
    info = np.iinfo(source)
    zero = draw(st.sampled_from([0, info.min, info.max]) | st.integers(info.min, info.max))
    return model(source, shape, scale, zero)


test_equals_tflm = equals_tflm(models(), float_rtol=0)


def test_a_value_is_its_distance_from_the_zero_point_times_the_scale() -> None:
    x = np.array([-128, 3, 127], np.int8)
    result = run_arenite(model("int8", (3,), 0.5, 3), [[x]])[0][0]
    assert result.tolist() == [-65.5, 0.0, 62.0]


def test_a_tensor_without_a_scale_gives_zeros_as_in_tflm() -> None:
    x = np.array([-5, 5], np.int16)
    assert run_arenite(model("int16", (2,), None), [[x]])[0][0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("int32", "float32", "Input 0 is one of: int8, int16, uint8"),
        ("int8", "float16", "Output 0 is float32"),
    ],
)
def test_other_types_are_refused(source: str, target: str, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        run_arenite(model(source, (2,), 1.0, 0, target), [])
