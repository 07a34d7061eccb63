"""CUMSUM equals TFLM on random shapes, axes, options, quantisation and types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.cumsum import CumsumOptions
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses, run
from tests.ops.unary import Affine, is_refused, scales, zero_points
from tests.oracle import Oracle


def cumsum(
    kind: str,
    shape: tuple[int, ...],
    axis: Any,
    options: CumsumOptions | None = None,
    *,
    x: Affine | None = None,
    y: Affine | None = None,
    fed: bool = False,
    output: tuple[int, ...] | None = None,
) -> Model:
    """CUMSUM with a constant axis, or one that is fed."""
    b = ModelBuilder()
    affine = [{} if q is None else {"scale": q[0], "zero_point": q[1]} for q in (x, y)]
    axis = np.asarray(axis, np.int32)
    inp = b.input("x", shape, kind, **affine[0])
    axes = b.input("axis", axis.shape, "int32") if fed else b.constant("axis", axis)
    out = b.tensor("y", output or shape, kind, **affine[1])
    return one_operator(b, "CUMSUM", [inp, axes], [out], options)


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["float32", "int8", "int8"]))
    longer = st.sampled_from([(130,), (3, 70), (70, 3), (2, 67, 1), (1, 2, 3, 1, 2, 40)])
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6).map(tuple) | longer)
    x = y = None
    if kind == "int8":
        # A ratio of 2**19 or more ends TFLM.
        scale = draw(scales())
        other = draw(st.floats(-4, 3)) if draw(st.booleans()) else draw(st.floats(-19, 1))
        x = (scale, draw(zero_points(kind)))
        y = (float(np.float32(scale * 2**other)), draw(zero_points(kind)))
    axis: Any = draw(st.integers(-len(shape), len(shape) - 1))
    options = draw(st.none() | st.builds(CumsumOptions, st.booleans(), st.booleans()))
    if draw(st.booleans()):
        axis = [axis]
    return cumsum(kind, shape, axis, options, x=x, y=y)


test_equals_tflm = equals_tflm(models(), invokes=3)


X = [[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]


@pytest.mark.parametrize(
    ("axis", "exclusive", "reverse", "expected"),
    [
        (1, False, False, [[1, 3, 7], [8, 24, 56]]),
        (-1, True, False, [[0, 1, 3], [0, 8, 24]]),
        (1, False, True, [[7, 6, 4], [56, 48, 32]]),
        (1, True, True, [[6, 4, 0], [48, 32, 0]]),
        (0, False, False, [[1, 2, 4], [9, 18, 36]]),
        (-2, True, True, [[8, 16, 32], [0, 0, 0]]),
    ],
)
def test_directions(axis: int, exclusive: bool, reverse: bool, expected: Any) -> None:
    model = cumsum("float32", (2, 3), axis, CumsumOptions(exclusive, reverse))
    assert run(model, X) == expected


def test_sums_of_int8_start_at_minus_the_zero_point() -> None:
    # -3 + (4 - 3) = -2, then -2 + (5 - 3) = 0; in steps twice as large, and moved by 10.
    model = cumsum("int8", (2,), 0, x=(0.5, 3), y=(1.0, 10))
    assert run(model, [4, 5]) == [9, 10]


def test_sums_of_int8_wrap_as_tflm_does(oracle: Oracle) -> None:
    model = cumsum("int8", (400,), 0, x=(1.0, -128), y=(100.0, 3))
    answer = agrees(oracle, model, 0, inputs=[np.full(400, 127, np.int8)])
    assert answer.outputs[0][0].min() < 3


def test_an_overflow_stays(oracle: Oracle) -> None:
    x = np.array([3e38, 3e38, -3e38, *[1.0] * 20], np.float32)
    answer = agrees(oracle, cumsum("float32", (23,), 0), 0, inputs=[x])
    assert np.isposinf(answer.outputs[0][0][1:]).all()


def test_the_axis_may_be_fed(oracle: Oracle) -> None:
    model = cumsum("float32", (2, 3), 0, fed=True)
    x = np.asarray(X, np.float32)
    assert agrees(oracle, model, 0, inputs=[x, np.array(-1, np.int32)]).status == "ok"
    answer = agrees(oracle, model, 0, inputs=[x, np.array(2, np.int32)])
    assert answer.status == "refused"


def test_an_output_of_other_dimensions_is_refused(oracle: Oracle) -> None:
    assert is_refused(oracle, cumsum("float32", (2, 3), 1, output=(3, 2)))


test_refuses = refuses(
    (cumsum("float32", (2, 3), 2), r"axis must lie in \[-2, 2\), got 2"),
    (cumsum("float32", (2, 3), [0, 1]), "is one number"),
    (cumsum("float32", (), 0), "at least 1 dimension"),
    (cumsum("int16", (2,), 0), "Input 0 is one of: float32, int8"),
    (cumsum("int8", (2,), 0), "must be greater than 0|between 0 and 1"),
    (cumsum("int8", (2,), 0, x=(2.0**19, 0), y=(1.0, 0)), "between 0 and 1"),
)
