"""ARG_MIN equals TFLM on random shapes and axes, with ties and NaN.

What it refuses it refuses together with ARG_MAX; see ``test_arg_max.py``.
"""

from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.arg_min_max import NAN, models, search, values
from tests.ops.differential import agrees, differential, run
from tests.oracle import Oracle


@differential
@given(model=models("ARG_MIN"), seed=st.integers(0, 2**32 - 1), spread=st.integers(1, 127))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, spread: int) -> None:
    agrees(oracle, model, seed, inputs=[values(model, seed, spread)])


def test_finds_the_first_of_several() -> None:
    assert run(search("ARG_MIN", "int8", (5,), 0), [3, -9, -9, 3, -9]) == 1


def test_nan_is_found_only_at_the_start() -> None:
    x = [[1, NAN, 0], [NAN, -1, 5]]
    assert run(search("ARG_MIN", "float32", (2, 3), -1), x) == [2, 0]
