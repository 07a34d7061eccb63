"""REDUCE_MIN equals TFLM on random shapes, axes and types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm, run_arenite
from tests.ops.reductions import odd_floats, reduction, reductions
from tests.oracle import Oracle

NAME = "REDUCE_MIN"


test_equals_tflm = equals_tflm(reductions(NAME, "float32", "int8"), inputs=odd_floats, invokes=3)


def run(model: Model, *inputs: Any) -> Any:
    return run_arenite(model, [list(inputs)])[0][0].tolist()


def test_values() -> None:
    assert run(reduction(NAME, "int8", (2, 3), 1), [[1, 2, 3], [4, 5, 6]]) == [1, 4]


def test_nan_is_passed_over() -> None:
    x = [[np.nan, 2, 1], [np.nan, np.nan, np.nan]]
    assert run(reduction(NAME, "float32", (2, 3), [-1]), x) == [1, 3.4028234663852886e38]


def test_of_nothing_it_is_the_types_limit() -> None:
    expected = [127] * 2
    assert run(reduction(NAME, "int8", (2, 0), [1]), np.zeros((2, 0))) == expected


def test_axes_may_be_fed(oracle: Oracle) -> None:
    model = reduction(NAME, "int8", (2, 3), [1], fed=True)
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    assert agrees(oracle, model, 0, inputs=[x, np.array([-1], np.int32)]).status == "ok"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (reduction(NAME, "int16", (2,), 0), "Input 0 is one of: float32, int8"),
        (reduction(NAME, "int8", (2,), 0, x=(0.5, 1)), "has the input's scale"),
        (reduction(NAME, "int8", (2,), 0, x=(0.5, 1), y=(0.5, 2)), "has the input's scale"),
        (reduction(NAME, "float32", (2,), [0, 1]), "expected axes from -1 to 0, got 1"),
    ],
)
def test_refuses(oracle: Oracle, model: Model, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(model).allocate_tensors()
    assert agrees(oracle, model, 0).status == "refused"
