"""REVERSE_V2 equals TFLM for all neighbouring axes, types and ranks."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.reverse_v2 import ReverseV2Options
from tests.ops.differential import refuses, run_arenite
from tests.ops.moves import Array, Move, Shape, moves_equal_tflms, moving


def reverse(
    shape: Shape, axes: Array | list[int], kind: str = "int8", *, fed: bool = False
) -> Move:
    numbers = np.asarray(axes, np.int32) if isinstance(axes, list) else axes
    return moving("REVERSE_V2", (shape, shape), kind, [numbers], ReverseV2Options(), fed=fed)


@st.composite
def models(draw: st.DrawFn) -> Move:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=6)))
    rank = len(shape)
    first = draw(st.integers(0, rank - 1))
    axes = draw(st.permutations(range(first, draw(st.integers(first + 1, rank)))))
    axes = [axis - draw(st.sampled_from([0, rank])) for axis in axes]
    kinds = ["int8", "int8", "uint8", "int16", "float32", "int32", "int64", "bool"]
    return reverse(shape, axes, draw(st.sampled_from(kinds)), fed=draw(st.booleans()))


test_equals_tflm = moves_equal_tflms(models())


X = np.arange(8, dtype=np.int8).reshape(2, 2, 2)


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ([0], X[::-1]),
        ([-1], X[:, :, ::-1]),
        ([2, 1], X[:, ::-1, ::-1]),
        ([0, 1, 2], X[::-1, ::-1, ::-1]),
    ],
)
def test_the_axes_are_flipped(axes: list[int], expected: Array) -> None:
    assert run_arenite(reverse((2, 2, 2), axes).model, [[X]])[0][0].tolist() == expected.tolist()


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([0, 2], r"expected axes one behind the other, got \[0, 2\]"),
        ([1, 1], r"expected axes one behind the other, got \[1, 1\]"),
        ([3], r"axis must lie in \[-3, 3\), got 3"),
        ([-4], r"axis must lie in \[-3, 3\), got -4"),
        ([], "at least 1 number"),
    ],
)
def test_axes_that_are_refused(axes: list[int], message: str, fed: bool) -> None:
    move = reverse((2, 2, 2), axes, fed=fed)
    with pytest.raises(ConstraintError, match=message):
        run_arenite(move.model, [[X, *move.fed]])


test_what_is_refused = refuses(
    (reverse((1,) * 7, [0]), "at most 6 dimensions"),
    (reverse((2,), [0, 0]), "at most one per dimension"),
    (reverse((), [0]), "at most one per dimension"),
    (reverse((2,), np.array([[0]], np.int32)), "are a vector"),
    (reverse((2,), np.array([0])), "Input 1 is one of: int32"),
    (reverse((2,), [0], "uint16"), "Input 0 is one of"),
)
