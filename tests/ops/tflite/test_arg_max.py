"""ARG_MAX equals TFLM on random shapes and axes, with ties and NaN."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.arg_min_max import NAN, models, search, values
from tests.ops.differential import agrees, differential, refuses, run
from tests.oracle import Oracle


@differential
@given(model=models("ARG_MAX"), seed=st.integers(0, 2**32 - 1), spread=st.integers(1, 127))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, spread: int) -> None:
    agrees(oracle, model, seed, inputs=[values(model, seed, spread)])


def test_axis_may_be_fed(oracle: Oracle) -> None:
    model = search("ARG_MAX", "int8", (2, 2), [1], feed_axis=True)
    x = np.array([[1, 2], [4, 3]], np.int8)
    assert agrees(oracle, model, 0, inputs=[x, np.array([0], np.int32)]).status == "ok"


def test_finds_the_first_of_several() -> None:
    assert run(search("ARG_MAX", "int8", (5,), 0), [-3, 9, 9, -3, 9]) == 1


def test_nan_is_found_only_at_the_start() -> None:
    x = [[1, NAN, 2], [NAN, -1, 5]]
    assert run(search("ARG_MAX", "float32", (2, 3), -1), x) == [2, 0]


test_refuses = refuses(
    (search("ARG_MAX", "int8", (2, 3), 2), "expected an axis from -2 to 1, got 2"),
    (search("ARG_MAX", "int8", (2, 3), -3), "expected an axis from -2 to 1, got -3"),
    (search("ARG_MAX", "int8", (), 0), "at least 1 dimension"),
    (search("ARG_MAX", "int8", (2, 0), 0), "1 element"),
    (search("ARG_MAX", "int8", (2, 3), []), "input 1 at least 1 element"),
    (search("ARG_MAX", "int16", (2, 3), 0), "Input 0 is one of: float32, int8"),
    (search("ARG_MAX", "int8", (2, 3), 0, axis_type=np.int64), "Input 1 is one of: int32"),
    (search("ARG_MAX", "int8", (2, 3), 0, output_type="int64"), "Output 0 is int32"),
)


@pytest.mark.parametrize(
    ("fed", "message"), [(5, "expected an axis from -2 to 1"), (0, "do not have shape")]
)
def test_refuses_a_fed_axis(fed: int, message: str) -> None:
    interpreter = HeapInterpreter(search("ARG_MAX", "int8", (2, 3), [1], feed_axis=True))
    interpreter.allocate_tensors()
    interpreter.input(1)[...] = fed
    with pytest.raises(ConstraintError, match=message):
        interpreter.invoke()
