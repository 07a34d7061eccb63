"""GREATER equals TFLM on random shapes, types and quantisation."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.binary import binary_model, run
from tests.ops.comparisons import compare, comparisons, operands
from tests.ops.differential import agrees, equals_tflm
from tests.oracle import Oracle

test_equals_tflm = equals_tflm(comparisons("GREATER"), inputs=operands, invokes=3)


def test_numbers_are_compared() -> None:
    assert compare("GREATER", "int32", [1, 2, 3], [2]) == [False, False, True]


def test_quantised_values_are_compared_as_real_numbers() -> None:
    # 0.5 * (v - 1) beside 0.25 * v: 4 is 1.5, 6 is 1.5
    scales, zeros = (0.5, 0.25, 1.0), (1, 0, 0)
    got = compare("GREATER", "int8", [3, 4, 5], [6], scales=scales, zero_points=zeros)
    assert got == [False, False, True]


def test_nan_is_never_greater() -> None:
    assert compare("GREATER", "float32", [np.nan, 1, np.nan], [1, np.nan, np.nan]) == [False] * 3


def test_scales_of_1_and_more_are_refused(oracle: Oracle) -> None:
    refused = binary_model("GREATER", ((2,), (2,)), "int8", scales=(0.5, 1.0, 1.0), output="bool")
    with pytest.raises(ConstraintError, match="scale of input 1 must be between 0 and 1, got 1"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "crashed"


def test_other_types_are_refused(oracle: Oracle) -> None:
    refused = binary_model("GREATER", ((2,), (2,)), "bool", output="bool")
    with pytest.raises(ConstraintError, match="Input 0 is one of: float32, int8, int32, int64"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize(
    ("scales", "expected"), [(None, [False, True]), ((0.5, 0.25, 1.0), [True, True])]
)
def test_int16_is_compared_by_its_scales_if_it_has_any(
    scales: tuple[float, float, float] | None, expected: list[bool]
) -> None:
    # 0.5 * 300 = 150 is more than 0.25 * 500 = 125
    assert compare("GREATER", "int16", [300, 501], [500], scales=scales) == expected


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("isa", ["portable", "avx2", "avx512vnni"])
def test_int16_runs_natively(isa: str) -> None:
    program = pytest.importorskip("arenite.native.program")
    if isa not in program.available_isas():
        pytest.skip(f"this processor has no {isa}")
    shapes = (50, 3), (3,)
    model = binary_model("GREATER", shapes, "int16", scales=(0.5, 0.25, 1.0), output="bool")
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    a, b = operands(model, 1)
    interpreter.input(0)[...], interpreter.input(1)[...] = a, b
    compiled = interpreter.compile(isa)
    assert compiled.kernel(0) == isa
    compiled.invoke()
    np.testing.assert_array_equal(interpreter.output(0), a * 0.5 > b * 0.25)


def test_int16_is_undefined_in_tflm() -> None:
    model = binary_model("GREATER", ((2,), (2,)), "int16", output="bool")
    with pytest.warns(UndefinedWarning, match="compares int16 inputs with parameters that it"):
        run(model, [1, 2], [2, 1])
