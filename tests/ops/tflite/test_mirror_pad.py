"""MIRROR_PAD equals TFLM for both modes, every rank and padding."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.mirror_pad import MirrorPadOptions
from tests.ops.differential import refuses, run_arenite
from tests.ops.moves import Array, Move, Shape, moves_equal_tflms, moving

REFLECT, SYMMETRIC = 0, 1


def mirror_pad(
    shape: Shape,
    pairs: list[tuple[int, int]],
    mode: int,
    kind: str = "int8",
    *,
    numbers: str = "int32",
    fed: bool = False,
    paddings: Array | None = None,
    output: Shape | None = None,
) -> Move:
    if paddings is None:
        paddings = np.array(pairs, numbers).reshape(-1, 2)
    whole = tuple(left + n + right for n, (left, right) in zip(shape, pairs, strict=True))
    shapes = (shape, whole if output is None else output)
    return moving("MIRROR_PAD", shapes, kind, [paddings], MirrorPadOptions(mode), fed=fed)


@st.composite
def models(draw: st.DrawFn) -> Move:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=5)))
    mode = draw(st.sampled_from([REFLECT, SYMMETRIC]))
    low = draw(st.sampled_from([0, 0, 0, -3]))
    far = draw(st.sampled_from([0, 0, 0, 3]))  # beyond what there is to mirror
    pairs = []
    for n in shape:
        most = n - (mode == REFLECT)
        left, right = st.integers(low, most), st.integers(low, most + far)
        pairs.append(draw(st.tuples(left, right).filter(lambda pair, n=n: n + sum(pair) > 0)))
    return mirror_pad(
        shape,
        pairs,
        mode,
        draw(st.sampled_from(["int8", "float32"])),
        numbers=draw(st.sampled_from(["int32", "int32", "int64"])),
        fed=draw(st.sampled_from([False, False, True])),
    )


test_equals_tflm = moves_equal_tflms(models())


X = np.array([1, 2, 3], np.int8)


@pytest.mark.parametrize(
    ("mode", "pair", "expected"),
    [
        (REFLECT, (2, 1), [3, 2, 1, 2, 3, 2]),
        (SYMMETRIC, (2, 1), [2, 1, 1, 2, 3, 3]),
        (SYMMETRIC, (0, 5), [1, 2, 3, 3, 2, 1, 1, 1]),  # nothing left to mirror
        (REFLECT, (-1, 1), [2, 3, 2]),
        (SYMMETRIC, (0, -2), [1]),
    ],
)
def test_one_axis(mode: int, pair: tuple[int, int], expected: list[int]) -> None:
    assert run_arenite(mirror_pad((3,), [pair], mode).model, [[X]])[0][0].tolist() == expected


@pytest.mark.parametrize("mode", [REFLECT, SYMMETRIC])
def test_it_is_numpys_pad(mode: int) -> None:
    x, pairs = np.arange(12, dtype=np.int8).reshape(3, 4), [(2, 1), (0, 3)]
    expected = np.pad(x, pairs, "symmetric" if mode else "reflect")
    assert run_arenite(mirror_pad((3, 4), pairs, mode).model, [[x]])[0][0].tolist() == (
        expected.tolist()
    )


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(("mode", "left"), [(REFLECT, 3), (SYMMETRIC, 4)])
def test_more_than_there_is_on_the_left_is_refused(mode: int, left: int, fed: bool) -> None:
    move = mirror_pad((3,), [(left, 0)], mode, fed=fed)
    with pytest.raises(ConstraintError, match=rf"to be mirrored, got paddings of {left} and 0"):
        run_arenite(move.model, [[X, *move.fed]])


def test_fed_paddings_for_another_shape_are_refused() -> None:
    move = mirror_pad((3,), [(1, 1)], SYMMETRIC, fed=True, output=(4,))
    with pytest.raises(ConstraintError, match=r"paddings \[\[1, 1\]\] do not make \[4\]"):
        run_arenite(move.model, [[X, *move.fed]])


test_what_is_refused = refuses(
    (mirror_pad((3,), [(-2, -2)], REFLECT, output=(1,)), "got paddings of -2 and -2"),
    (mirror_pad((0,), [(0, 1)], SYMMETRIC), "axis 0 has 0 elements"),
    (mirror_pad((3,), [(1, 1)], 0, "int16"), "Input 0 is one of: float32, int8"),
    (mirror_pad((3,), [(1, 1)], 0, numbers="int16"), "Input 1 is one of: int32, int64"),
    (
        mirror_pad((3,), [(1, 1)], 0, paddings=np.array([1, 1], np.int32)),
        "a row of two numbers for each dimension",
    ),
)
