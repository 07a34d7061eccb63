"""SUM equals TFLM on random shapes, axes, quantisation and types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm, run
from tests.ops.reductions import reduction
from tests.oracle import Oracle


def total(
    kind: str,
    shape: tuple[int, ...],
    axes: Any,
    *,
    scales: tuple[float, float] = (1.0, 1.0),
    zeros: tuple[int, int] = (0, 0),
    **how: Any,
) -> Model:
    """SUM with constant axes, or axes fed as second input."""
    if kind not in ("float32", "int32"):
        how["x"], how["y"] = zip(scales, zeros, strict=True)
    return reduction("SUM", kind, shape, axes, **how)


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    shape = draw(st.lists(st.integers(1, 6), min_size=0, max_size=5))
    rank = len(shape)
    axes = draw(st.lists(st.integers(-rank, rank - 1) if rank else st.integers(-9, 9), max_size=5))
    if rank and axes and draw(st.sampled_from([True, False, False, False])):
        shape[axes[0]] = 0  # of outputs TFLM refuses it
    exponents = draw(st.tuples(st.floats(-6, 3), st.floats(-6, 3)) | st.just((-1.0, -0.3)))
    zero = st.integers(-128, 127) if kind == "int8" else st.just(0)
    return total(
        kind,
        tuple(shape),
        axes[0] if len(axes) == 1 and draw(st.booleans()) else axes,
        keep_dims=draw(st.booleans()),
        scales=(10 ** exponents[0], 10 ** exponents[1]),
        zeros=(draw(zero), draw(zero)),
    )


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
def test_equals_tflm_on_a_large_sum(oracle: Oracle, kind: str) -> None:
    model = total(kind, (1, 70, 70, 3), [1, 2], scales=(0.3, 90.0), zeros=(7, -3))
    assert agrees(oracle, model, 0).status == "ok"


def test_sums_wrap_at_32_bits_as_tflm_does(oracle: Oracle) -> None:
    model = total("int16", (40000,), [0], scales=(1.0, 2.0), zeros=(-32768, 0))
    answer = agrees(oracle, model, 0, inputs=[np.full(40000, 32767, np.int16)])
    assert answer.outputs[0][0].item() < 0


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_without_a_scale_of_the_output_it_is_the_zero_point(oracle: Oracle, kind: str) -> None:
    model = total(kind, (2, 3), [1], scales=(1.0, 0.0))
    assert agrees(oracle, model, 0).outputs[0][0].tolist() == [0, 0]


def test_scales_and_zero_points() -> None:
    # (4 - 2) * 0.5 + (6 - 2) * 0.5 = 3; 3 / 0.25 - 10 = 2
    assert run(total("int8", (2,), [0], scales=(0.5, 0.25), zeros=(2, -10)), [4, 6]) == 2


def test_results_are_clamped_to_the_type() -> None:
    assert run(total("int8", (2, 2), [1]), [[100, 100], [-100, -100]]) == [127, -128]


def test_duplicate_and_negative_axes_count_once() -> None:
    assert run(total("float32", (2, 3), [1, -1, 1]), [[1, 2, 3], [4, 5, 6]]) == [6, 15]


def test_keep_dims() -> None:
    assert run(total("float32", (2, 2), [0], keep_dims=True), [[1, 2], [3, 6]]) == [[4, 8]]


def test_a_sum_of_nothing_is_0_whatever_the_zero_point() -> None:
    assert run(total("int8", (2, 0), [1], zeros=(5, 7)), np.zeros((2, 0))) == [0, 0]


def test_refuses_other_types() -> None:
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8, int16"):
        HeapInterpreter(total("int32", (2, 3), [1])).allocate_tensors()


def test_refuses_fed_axes_of_another_shape() -> None:
    interpreter = HeapInterpreter(total("int8", (2, 3), [1], fed=True))
    interpreter.allocate_tensors()
    interpreter.input(1)[...] = 0
    with pytest.raises(ConstraintError, match="does not have shape"):
        interpreter.invoke()
