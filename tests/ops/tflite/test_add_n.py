"""ADD_N equals TFLM on random numbers of inputs, shapes, types and quantisation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model, ModelBuilder
from tests.ops.binary import run
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.oracle import Oracle


def sum_of(
    count: int,
    kind: str,
    shape: tuple[int, ...] = (2,),
    scales: tuple[float, float] = (1.0, 1.0),
    zeros: tuple[int, int] = (0, 0),
) -> Model:
    """ADD_N; scales and zero points are those of all inputs and of the output."""
    b = ModelBuilder()
    quantization: list[dict[str, Any]] = [
        {"scale": scale, "zero_point": zero} if kind == "int8" else {}
        for scale, zero in zip(scales, zeros, strict=True)
    ]
    inputs = [b.input(f"x{i}", shape, kind, **quantization[0]) for i in range(count)]
    y = b.tensor("y", shape, kind, **quantization[1])
    return one_operator(b, "ADD_N", inputs, [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    zero = st.integers(-128, 127)
    scale = draw(st.floats(-4, 2).map(lambda exponent: 10**exponent))
    return sum_of(
        draw(st.integers(2, 7)),
        draw(st.sampled_from(["int8", "float32"])),
        tuple(draw(st.lists(st.integers(1, 9) | st.just(40), max_size=3))),
        (scale, scale * draw(st.floats(1e-3, 10))),
        (draw(zero), draw(zero)),
    )


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_floats_are_added_from_the_first_to_the_last() -> None:
    model = sum_of(3, "float32")
    np.testing.assert_array_equal(run(model, [1e8, 1], [-1e8, 2], [1, 3]), [1, 6])


def test_int8_adds_one_zero_point_more(oracle: Oracle) -> None:
    # (5 - 2) + (9 - 2) - 2: the sum begins with the real value of a stored 0
    model = sum_of(2, "int8", zeros=(2, 0))
    np.testing.assert_array_equal(run(model, [5, 2], [9, 2]), [8, -2])
    assert agrees(oracle, model, 0).status == "ok"


def test_sums_that_may_leave_int32_wrap_and_warn() -> None:
    model = sum_of(33, "int8", scales=(1.0, 64.0))
    with pytest.warns(UndefinedWarning, match="sums of 33 inputs may leave int32, and wrap"):
        got = run(model, *([[127, 1]] * 33))
    np.testing.assert_array_equal(got, [round((33 * 127 - 2**13) / 64), 1])


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_sums_that_leave_int32_are_those_of_tflms_package(oracle: Oracle) -> None:
    model = sum_of(33, "int8", scales=(1.0, 64.0))
    inputs = [np.array([127, 1], np.int8)] * 33
    assert agrees(oracle, model, 0, inputs=inputs).status == "ok"


def test_one_input_is_refused(oracle: Oracle) -> None:
    with pytest.raises(ConstraintError, match="There are at least 2 inputs, all of one type"):
        run(sum_of(1, "float32"))
    assert agrees(oracle, sum_of(1, "float32"), 0).status == "refused"


def test_int32_is_refused(oracle: Oracle) -> None:
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8"):
        run(sum_of(2, "int32"))
    assert agrees(oracle, sum_of(2, "int32"), 0).status == "refused"


def test_inputs_of_other_shapes_or_scales_are_refused(oracle: Oracle) -> None:
    for shape, scale in (((1,), 1.0), ((2,), 0.5)):
        b = ModelBuilder()
        x = [b.input("x", (2,), "int8", scale=1.0), b.input("y", shape, "int8", scale=scale)]
        z = b.tensor("z", (2,), "int8", scale=1.0)
        b.operator("ADD_N", x, [z])
        b.output(z)
        with pytest.raises(ConstraintError, match="all of one type and shape; int8 ones of one"):
            run(b.build())
        assert agrees(oracle, b.build(), 0).status == "refused"
