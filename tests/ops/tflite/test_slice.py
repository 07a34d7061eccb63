"""SLICE equals TFLM for every box, type and rank."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.slice import SliceOptions
from tests.ops.differential import refuses, run_arenite
from tests.ops.moves import Move, Shape, moves_equal_tflms, moving


def cut(
    shape: Shape,
    begin: Sequence[int],
    size: Sequence[int],
    kind: str = "int8",
    *,
    numbers: str = "int32",
    fed: bool = False,
    output: Shape | None = None,
) -> Move:
    taken = tuple(
        n - first if count == -1 else count
        for n, first, count in zip(shape, begin, size, strict=False)
    )
    boxes = [np.array(values, numbers) for values in (begin, size)]
    whole = taken if output is None else output
    return moving("SLICE", (shape, whole), kind, boxes, SliceOptions(), fed=fed)


@st.composite
def models(draw: st.DrawFn) -> Move:
    shape = tuple(draw(st.lists(st.integers(1, 6), max_size=5)))
    begin = [draw(st.integers(0, n - 1)) for n in shape]
    size = [
        draw(st.just(-1) | st.integers(1, n - first)) for n, first in zip(shape, begin, strict=True)
    ]
    more = draw(st.sampled_from([0, 0, 0, 1]))  # numbers that nobody asked for
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32", "bool"]))
    numbers = draw(st.sampled_from(["int32", "int32", "int64"]))
    return cut(
        shape,
        begin + [9] * more,
        size + [9] * more,
        kind,
        numbers=numbers,
        fed=draw(st.booleans()) and len(shape) + more > 0,
    )


test_equals_tflm = moves_equal_tflms(models())


X = np.arange(12, dtype=np.int8).reshape(3, 4)


@pytest.mark.parametrize("fed", [False, True])
def test_minus_1_takes_all_to_the_end(fed: bool) -> None:
    move = cut((3, 4), [1, 2], [1, -1], fed=fed)
    assert run_arenite(move.model, [[X, *move.fed]])[0][0].tolist() == [[6, 7]]


def test_nothing_may_be_taken() -> None:
    assert run_arenite(cut((3, 4), [3, 1], [-1, 2]).model, [[X]])[0][0].shape == (0, 2)


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("begin", "size"), [(-1, 2), (3, 2), (5, 0), (5, -1), (1, -2), (0, 5), (2**31 - 1, 2**31 - 1)]
)
def test_a_slice_that_leaves_the_input_is_refused(begin: int, size: int, fed: bool) -> None:
    move = cut((4,), [begin], [size], fed=fed, output=(2,))
    with pytest.raises(ConstraintError, match=f"begins at {begin}, of size {size}"):
        run_arenite(move.model, [[X[0], *move.fed]])


def test_a_fed_slice_that_does_not_fill_the_output_is_refused() -> None:
    move = cut((3, 4), [0, 0], [2, 2], fed=True, output=(2, 3))
    with pytest.raises(ConstraintError, match=r"a slice of shape \[2, 2\] does not fill \(2, 3\)"):
        run_arenite(move.model, [[X, *move.fed]])


test_what_is_refused = refuses(
    (cut((1,) * 6, [0] * 6, [1] * 6), "at most 5 dimensions"),
    (cut((2, 2), [0], [1], output=(1, 2)), "one number per axis"),
    (cut((4,), [0], [1], numbers="int16"), "Input 1 is one of: int32, int64"),
    (cut((4,), [0], [1], "uint8"), "Input 0 is one of"),
)
