"""EMBEDDING_LOOKUP equals TFLM for every table, of int8 as well for floats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import ModelBuilder
from tests.ops.differential import agrees, differential, refuses, run_arenite
from tests.ops.moves import Move, Shape
from tests.oracle import Oracle


def lookup(
    table: Shape,
    rows: list[int],
    kinds: tuple[str, str] = ("int8", "int8"),
    *,
    scale: float = 0.5,
    zero_point: int = 0,
    output: Shape | None = None,
    numbers: str = "int32",
    fed: bool = True,
    rows_shape: Shape | None = None,
) -> Move:
    values = np.array(rows, numbers)
    values = values if rows_shape is None else values.reshape(rows_shape)
    quantized = {} if kinds[0] == "float32" else {"scale": scale, "zero_point": zero_point}
    b = ModelBuilder()
    numbers_of_rows = b.input("rows", values.shape, numbers) if fed else b.constant("rows", values)
    entries = b.input("table", table, kinds[0], **quantized)
    y = b.tensor("y", (len(rows), *table[1:]) if output is None else output, kinds[1])
    b.operator("EMBEDDING_LOOKUP", [numbers_of_rows, entries], [y])
    b.output(y)
    return Move(b.build(), (values,) if fed else ())


@st.composite
def models(draw: st.DrawFn) -> Move:
    table = tuple(draw(st.lists(st.integers(1, 6), min_size=2, max_size=5)))
    rows = draw(st.lists(st.integers(0, table[0] - 1), min_size=1, max_size=6))
    output = (len(rows), *table[1:], *draw(st.sampled_from([(), (), (1,)])))
    kinds = draw(st.sampled_from([("int8", "int8"), ("int8", "float32"), ("float32", "float32")]))
    zero_point = draw(st.integers(-128, 127)) if kinds[1] == "int8" else 0
    scale = float(np.float32(10 ** draw(st.floats(-6, 3))))
    fed = draw(st.booleans())
    return lookup(table, rows, kinds, scale=scale, zero_point=zero_point, output=output, fed=fed)


@differential
@given(move=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, move: Move, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tensor = move.model.inputs[-1]
    table = rng.integers(-128, 128, tensor.shape).astype(tensor.type.dtype)
    agrees(oracle, move.model, seed, inputs=[*move.fed, table], invokes=3)


TABLE = np.array([[1, 2], [3, 4], [-5, 6]], np.int8)


def test_rows_are_picked() -> None:
    move = lookup((3, 2), [2, 0, 2])
    picked = run_arenite(move.model, [[*move.fed, TABLE]])[0][0]
    assert picked.tolist() == [[-5, 6], [1, 2], [-5, 6]]


def test_int8_becomes_float_by_its_scale() -> None:
    move = lookup((3, 2), [2], ("int8", "float32"), scale=0.5)
    assert run_arenite(move.model, [[*move.fed, TABLE]])[0][0].tolist() == [[-2.5, 3.0]]


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("row", [-1, 3, 2**31 - 1])
def test_a_row_that_is_not_in_the_table_is_refused(row: int, fed: bool) -> None:
    move = lookup((3, 2), [0, row], fed=fed)
    with pytest.raises(ConstraintError, match="expected rows from 0 to 2, got "):
        run_arenite(move.model, [[*move.fed, TABLE]])


test_what_is_refused = refuses(
    (lookup((3,), [0]), "at least 2 dimensions, and rows"),
    (lookup((0, 2), [0]), "at least 2 dimensions, and rows"),
    (lookup((3, 2), [0, 1], rows_shape=(1, 2)), "Input 0 has 1 dimensions"),
    (lookup((3, 2), [0], numbers="int64"), "Input 0 is one of: int32"),
    (lookup((3, 2), [0], ("int16", "int16")), "Input 1 is one of: float32, int8"),
    (lookup((3, 2), [0], ("float32", "int8")), "the table's type or float32"),
    (lookup((3, 2), [0], output=(2,)), "its number of dimensions"),
    (lookup((3, 2), [0], output=(1, 2, 3)), "more only of 1"),
    (lookup((3, 2), [0], ("int8", "float32"), zero_point=1), "has zero point 0"),
)
