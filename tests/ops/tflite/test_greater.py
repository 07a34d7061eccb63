"""GREATER equals TFLM on random shapes, types and quantisation."""

import numpy as np
import pytest

from arenite.errors import UndefinedWarning
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.binary import binary_model, run
from tests.ops.comparisons import compare, comparisons, operands
from tests.ops.differential import equals_tflm

test_equals_tflm = equals_tflm(comparisons("GREATER"), inputs=operands, invokes=3)


def test_numbers_are_compared() -> None:
    assert compare("GREATER", "int32", [1, 2, 3], [2]) == [False, False, True]


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
