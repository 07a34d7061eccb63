"""DYNAMIC_UPDATE_SLICE equals TFLM for every box, whatever the start indices."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import ModelBuilder
from arenite.ops.tflite.dynamic_update_slice import DynamicUpdateSliceOptions
from tests.ops.differential import refuses, run_arenite
from tests.ops.moves import Array, Move, Shape, moves_equal_tflms


def update_slice(
    shape: Shape,
    update: Shape,
    starts: list[int] | Array,
    kind: str = "int8",
    *,
    numbers: str = "int32",
    fed: bool = True,
    update_kind: str = "",
) -> Move:
    values = np.asarray(starts, numbers)
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind), b.input("update", update, update_kind or kind)]
    inputs.append(b.input("starts", values.shape, numbers) if fed else b.constant("s", values))
    y = b.tensor("y", shape, kind)
    b.operator("DYNAMIC_UPDATE_SLICE", inputs, [y], DynamicUpdateSliceOptions())
    b.output(y)
    return Move(b.build(), (values,) if fed else ())


@st.composite
def models(draw: st.DrawFn) -> Move:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=6)))
    update = tuple(draw(st.integers(1, n)) for n in shape)
    numbers = draw(st.sampled_from(["int32", "int32", "int64"]))
    low, high = np.iinfo(numbers).min, np.iinfo(numbers).max
    anywhere = st.integers(-2, 6) | st.integers(int(low), int(high))
    return update_slice(
        shape,
        update,
        [draw(anywhere) for _ in shape],
        draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"])),
        numbers=numbers,
        fed=draw(st.booleans()),
    )


test_equals_tflm = moves_equal_tflms(models())


X, UPDATE = np.zeros((3, 4), np.int8), np.array([[1, 2], [3, 4]], np.int8)


def updated(starts: list[int]) -> list[list[int]]:
    move = update_slice((3, 4), (2, 2), starts)
    return run_arenite(move.model, [[X, UPDATE, *move.fed]])[0][0].tolist()


def test_the_box_has_the_updates_values() -> None:
    assert updated([1, 0]) == [[0, 0, 0, 0], [1, 2, 0, 0], [3, 4, 0, 0]]


def test_a_box_that_leaves_the_tensor_is_moved_inside() -> None:
    assert updated([-5, 2**31 - 1]) == [[0, 0, 1, 2], [0, 0, 3, 4], [0, 0, 0, 0]]


def test_an_empty_update_changes_nothing() -> None:
    move = update_slice((2, 2), (0, 2), [1, 1])
    x = np.array([[1, 2], [3, 4]], np.int8)
    out = run_arenite(move.model, [[x, np.zeros((0, 2), np.int8), *move.fed]])[0][0]
    assert out.tolist() == x.tolist()


test_what_is_refused = refuses(
    (update_slice((2, 2), (3, 1), [0, 0]), "none larger than input 0's"),
    (update_slice((2, 2), (2,), [0, 0]), "input 0's type and dimensions"),
    (update_slice((2,), (2,), [0], update_kind="int16"), "input 0's type and dimensions"),
    (update_slice((2, 2), (1, 1), [0]), "one number for each axis"),
    (update_slice((2,), (1,), np.array([[0]])), "are a vector"),
    (update_slice((2,), (1,), [0], numbers="int16"), "Input 2 is one of: int32, int64"),
    (update_slice((1,) * 7, (1,) * 7, [0] * 7), "has 1 or 2 or 3 or 4 or 5 or 6 dimensions"),
    (update_slice((), (), []), "has 1 or 2 or 3 or 4 or 5 or 6 dimensions"),
    (update_slice((2,), (1,), [0], "bool"), "Input 0 is one of"),
)
