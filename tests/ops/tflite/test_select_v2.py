"""SELECT_V2 equals TFLM on random shapes and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, ShapeError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.binary import Shape, run
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.oracle import Oracle

Shapes = tuple[Shape, Shape, Shape]


def select(
    shapes: Shapes, kind: str, output: Shape | None = None, condition: str = "bool"
) -> Model:
    b = ModelBuilder()
    inputs = [
        b.input("condition", shapes[0], condition),
        b.input("x", shapes[1], kind),
        b.input("y", shapes[2], kind),
    ]
    y = b.tensor("z", np.broadcast_shapes(*shapes) if output is None else output, kind)
    return one_operator(b, "SELECT_V2", inputs, [y])


@st.composite
def three_shapes(draw: st.DrawFn) -> Shapes:
    """Shapes that broadcast, of up to six dimensions, in some cases equal ones."""
    full = draw(st.lists(st.integers(1, 5), max_size=draw(st.integers(0, 6))))
    if full and draw(st.booleans()):
        full[-1] = 17
    shapes = []
    for _ in range(3):
        ones = draw(st.lists(st.booleans(), min_size=len(full), max_size=len(full)))
        shape = tuple(1 if one else n for n, one in zip(full, ones, strict=True))
        start = draw(st.integers(0, len(full)))
        shapes.append(shape[start:] if all(n == 1 for n in shape[:start]) else shape)
    first, second, third = shapes
    if draw(st.booleans()):
        second = third = tuple(full)
        first = draw(st.sampled_from([first, second]))
    return first, second, third


test_equals_tflm = equals_tflm(
    st.builds(select, three_shapes(), st.sampled_from(["float32", "int8", "int16"])), invokes=3
)


def test_one_or_the_other() -> None:
    got = run(select(((3,), (3,), (3,)), "int8"), [True, False, True], [1, 2, 3], [4, 5, 6])
    np.testing.assert_array_equal(got, [1, 5, 3])


def test_all_three_broadcast() -> None:
    model = select(((2, 1), (3,), ()), "float32")
    got = run(model, [[True], [False]], [1, 2, 3], 9)
    np.testing.assert_array_equal(got, [[1, 2, 3], [9, 9, 9]])


@pytest.mark.parametrize(
    ("shapes", "output"),
    [(((2, 3), (2, 3), (2, 3)), (3, 2)), (((1,), (1, 1), ()), (1, 1, 1))],
)
def test_where_nothing_broadcasts_the_output_keeps_its_dimensions(
    oracle: Oracle, shapes: Shapes, output: Shape
) -> None:
    assert agrees(oracle, select(shapes, "int8", output), 0).status == "ok"


@pytest.mark.parametrize(
    ("shapes", "output"),
    [(((2, 1), (2, 3), (2, 3)), (3, 2)), (((2, 3), (2, 3), (1,)), (6,))],
)
def test_where_inputs_broadcast_an_arena_takes_no_other_dimensions(
    oracle: Oracle, shapes: Shapes, output: Shape
) -> None:
    model = select(shapes, "int8", output)
    with pytest.raises(ShapeError, match="expected an output of shape"):
        MicroInterpreter(model, AllOpsResolver(), 1 << 14).allocate_tensors()
    inputs = [np.zeros(shape, kind) for shape, kind in zip(shapes, ("?", "b", "b"), strict=True)]
    assert oracle.run(tflite.write(model), [inputs], 1 << 16).status == "refused"


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    model = select(((2,), (2,), (2,)), "int8")
    object.__setattr__(model.main.tensors[2], "shape", (3,))
    with pytest.raises(ConstraintError, match="each is equal or 1 in all of them"):
        run(model)


def test_other_types_are_refused(oracle: Oracle) -> None:
    shapes = (2,), (2,), (2,)
    for model, words in (
        (select(shapes, "int32"), "Input 1 is one of: float32, int8, int16"),
        (select(shapes, "int8", condition="int8"), "Input 0 is one of: bool"),
    ):
        with pytest.raises(ConstraintError, match=words):
            run(model)
        assert agrees(oracle, model, 0).status == "refused"
