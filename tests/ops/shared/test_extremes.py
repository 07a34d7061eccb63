"""REDUCE_MAX and REDUCE_MIN, as far as they are alike."""

from typing import Any

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees
from tests.ops.reductions import reduction
from tests.oracle import Oracle

NAMES = ["REDUCE_MAX", "REDUCE_MIN"]


@pytest.mark.parametrize("name", NAMES)
def test_axes_may_be_fed(oracle: Oracle, name: str) -> None:
    model = reduction(name, "int8", (2, 3), [1], fed=True)
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    assert agrees(oracle, model, 0, inputs=[x, np.array([-1], np.int32)]).status == "ok"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("how", "message"),
    [
        (("int16", 0, None, None), "Input 0 is one of: float32, int8"),
        (("int8", 0, (0.5, 1), None), "has the input's scale"),
        (("int8", 0, (0.5, 1), (0.5, 2)), "has the input's scale"),
        (("float32", [0, 1], None, None), "expected axes from -1 to 0, got 1"),
    ],
)
def test_refuses(oracle: Oracle, name: str, how: tuple[Any, ...], message: str) -> None:
    kind, axes, x, y = how
    model = reduction(name, kind, (2,), axes, x=x, y=y)
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(model).allocate_tensors()
    assert agrees(oracle, model, 0).status == "refused"
