"""SPACE_TO_BATCH_ND equals TFLM for every block, and pads with 0."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.batch_to_space_nd import BatchToSpaceNDOptions
from arenite.ops.tflite.space_to_batch_nd import SpaceToBatchNDOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.batch_space import Geometry, geometries
from tests.ops.differential import agrees, differential, one_operator, refuses, run_arenite
from tests.ops.moves import Move, Shape, moving
from tests.oracle import Oracle
from tests.variants import interpreter, variants

Margins = list[list[int]]
undefined = pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")


def space_to_batch(
    shape: Shape,
    size: list[int],
    margins: Margins,
    output: Shape,
    kind: str = "int8",
    *,
    numbers: str = "int32",
    fed: bool = False,
    **quantized: Any,
) -> Move:
    tensors = [np.array(size, numbers), np.array(margins, numbers)]
    options = SpaceToBatchNDOptions()
    shapes = (shape, output)
    return moving("SPACE_TO_BATCH_ND", shapes, kind, tensors, options, fed=fed, **quantized)


def of(geometry: Geometry, kind: str, **more: Any) -> Move:
    image, size, margins, parts = geometry
    return space_to_batch(image, size, margins, parts, kind, **more)


@differential
@given(
    geometry=geometries(margins=False),
    kind=st.sampled_from(["int8", "float32"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_equals_tflm(oracle: Oracle, geometry: Geometry, kind: str, seed: int) -> None:
    agrees(oracle, of(geometry, kind).model, seed, invokes=3)


def there_and_back(geometry: Geometry, kind: str) -> Model:
    """What is padded is cut off again, so that the value does not matter."""
    b = ModelBuilder()
    x, parts = b.input("x", geometry.image, kind), b.tensor("parts", geometry.parts, kind)
    numbers = [
        b.constant(name, values) for name, values in zip("ij", geometry.numbers, strict=True)
    ]
    y = b.tensor("y", geometry.image, kind)
    b.operator("SPACE_TO_BATCH_ND", [x, *numbers], [parts], SpaceToBatchNDOptions())
    return one_operator(b, "BATCH_TO_SPACE_ND", [parts, *numbers], [y], BatchToSpaceNDOptions())


@undefined
@differential
@given(
    geometry=geometries(margins=True),
    kind=st.sampled_from(["int8", "float32"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_pixels_beside_padding_equal_tflms(
    oracle: Oracle, geometry: Geometry, kind: str, seed: int
) -> None:
    agrees(oracle, there_and_back(geometry, kind), seed, invokes=3)


@undefined
@pytest.mark.parametrize("variant", variants())
@differential
@given(
    geometry=geometries(margins=True),
    kind=st.sampled_from(["int8", "float32"]),
    fed=st.booleans(),
)
def test_padding_is_0_whatever_the_zero_point(
    variant: str, geometry: Geometry, kind: str, fed: bool
) -> None:
    move = of(geometry, kind, fed=fed, scale=0.5, zero_point=7)
    x = np.arange(1, 1 + np.prod(geometry.image)).reshape(geometry.image).astype(kind)
    y = interpreter(move.model, variant)(x, *move.fed)
    margins = geometry.margins if len(geometry.size) == 2 else [*geometry.margins, [0, 0]]
    rows, columns = geometry.size if len(geometry.size) == 2 else (*geometry.size, 1)
    image = x.reshape(geometry.image[0], geometry.image[1], -1, geometry.image[-1])
    padded = np.pad(image, [(0, 0), *margins, (0, 0)])
    parts = [padded[:, i::rows, j::columns] for i in range(rows) for j in range(columns)]
    assert y.tolist() == np.concatenate(parts).reshape(geometry.parts).tolist()


X = np.arange(1, 7, dtype=np.int8).reshape(1, 3, 2, 1)


@undefined
@pytest.mark.parametrize("fed", [False, True])
def test_pixels_of_one_place_in_their_blocks_become_a_batch(fed: bool) -> None:
    move = space_to_batch((1, 3, 2, 1), [2, 2], [[1, 0], [0, 0]], (4, 2, 1, 1), fed=fed)
    y = run_arenite(move.model, [[X, *move.fed]])[0][0]
    assert y.reshape(4, 2).tolist() == [[0, 3], [0, 4], [1, 5], [2, 6]]


def test_without_padding_nothing_is_undefined() -> None:
    move = space_to_batch((1, 4, 1), [2], [[0, 0]], (2, 2, 1))
    y = run_arenite(move.model, [[np.arange(4, dtype=np.int8).reshape(1, 4, 1)]])[0][0]
    assert y.reshape(2, 2).tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize("fed", [False, True])
def test_a_model_with_padding_is_warned_of(fed: bool) -> None:
    move = space_to_batch((1, 3, 1), [2], [[1, 0]], (2, 2, 1), fed=fed)
    with pytest.warns(ar.UndefinedWarning, match="fills the padding with a byte .* Arenite with 0"):
        HeapInterpreter(move.model).allocate_tensors()


@undefined
@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("size", "margins", "message"),
    [
        ([2], [[0, 0]], r"\[3\] .*must divide|do not make|\[3, 1\] pixels"),
        ([0], [[0, 0]], "expected blocks of 1 or more"),
        ([-1], [[0, 0]], "expected blocks of 1 or more"),
        ([2], [[2, -1]], "no margin under 0"),
    ],
)
def test_blocks_that_are_refused(
    size: list[int], margins: Margins, message: str, fed: bool
) -> None:
    move = space_to_batch((1, 3, 1), size, margins, (2, 2, 1), fed=fed)
    with pytest.raises(ConstraintError, match=message):
        run_arenite(move.model, [[np.zeros((1, 3, 1), np.int8), *move.fed]])


@undefined
def test_fed_blocks_for_another_shape_are_refused() -> None:
    move = space_to_batch((1, 3, 1), [3], [[0, 0]], (2, 2, 1), fed=True)
    with pytest.raises(ConstraintError, match=r"do not make \[2, 2, 1\] of \[1, 3, 1\]"):
        run_arenite(move.model, [[np.zeros((1, 3, 1), np.int8), *move.fed]])


test_what_is_refused = refuses(
    (space_to_batch((4, 1), [2], [[0, 0]], (2, 2)), "Input 0 has 3 or 4 dimensions"),
    (space_to_batch((1, 4, 1), [2], [[0, 0]], (2, 2, 1, 1)), "as many dimensions"),
    (space_to_batch((1, 4, 4, 1), [2], [[0, 0]] * 2, (4, 2, 2, 1)), "block sizes .input 1."),
    (space_to_batch((1, 4, 4, 1), [2, 2], [[0, 0]], (4, 2, 2, 1)), "margins .input 2."),
    (space_to_batch((1, 4, 1), [2], [[0, 0]], (2, 2, 1), numbers="int64"), "are int32"),
    (space_to_batch((1, 4, 1), [2], [[0, 0]], (2, 2, 1), "int16"), "Input 0 is one of"),
)
