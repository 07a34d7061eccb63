"""BATCH_TO_SPACE_ND equals TFLM for every block and margin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.ops.tflite.batch_to_space_nd import BatchToSpaceNDOptions
from tests.ops.batch_space import Geometry, geometries
from tests.ops.differential import agrees, differential, refuses, run_arenite
from tests.ops.moves import Move, Shape, moving
from tests.oracle import Oracle

Margins = list[list[int]]


def batch_to_space(
    shape: Shape,
    size: list[int],
    margins: Margins,
    output: Shape,
    kind: str = "int8",
    *,
    fed: bool = False,
) -> Move:
    tensors = [np.array(size, np.int32), np.array(margins, np.int32)]
    options = BatchToSpaceNDOptions()
    return moving("BATCH_TO_SPACE_ND", (shape, output), kind, tensors, options, fed=fed)


@differential
@given(
    geometry=geometries(margins=True),
    kind=st.sampled_from(["int8", "float32"]),
    fed=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_equals_tflm(oracle: Oracle, geometry: Geometry, kind: str, fed: bool, seed: int) -> None:
    image, size, margins, parts = geometry
    move = batch_to_space(parts, size, margins, image, kind, fed=fed)
    agrees(oracle, move.model, seed, inputs=move.inputs(seed), invokes=3)


X = np.array([0, 3, 0, 4, 1, 5, 2, 6], np.int8).reshape(4, 2, 1, 1)


@pytest.mark.parametrize("fed", [False, True])
def test_batches_become_pixels_of_their_blocks(fed: bool) -> None:
    move = batch_to_space((4, 2, 1, 1), [2, 2], [[1, 0], [0, 0]], (1, 3, 2, 1), fed=fed)
    y = run_arenite(move.model, [[X, *move.fed]])[0][0]
    assert y.reshape(3, 2).tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("size", "margins", "message"),
    [
        ([3], [[0, 0]], "4 batches must divide into the 3 pixels of a block"),
        ([2], [[3, 2]], "margins leave something"),
        ([2], [[-1, 1]], "no margin under 0"),
        ([0], [[0, 0]], "expected blocks of 1 or more"),
    ],
)
def test_blocks_that_are_refused(
    size: list[int], margins: Margins, message: str, fed: bool
) -> None:
    move = batch_to_space((4, 2, 1), size, margins, (2, 4, 1), fed=fed)
    with pytest.raises(ConstraintError, match=message):
        run_arenite(move.model, [[X[..., 0], *move.fed]])


def test_fed_blocks_for_another_shape_are_refused() -> None:
    move = batch_to_space((4, 2, 1), [2], [[1, 0]], (2, 4, 1), fed=True)
    with pytest.raises(ConstraintError, match=r"do not make \[2, 4, 1\] of \[4, 2, 1\]"):
        run_arenite(move.model, [[X[..., 0], *move.fed]])


test_what_is_refused = refuses(
    (batch_to_space((4, 1), [2], [[0, 0]], (2, 2)), "Input 0 has 3 or 4 dimensions"),
    (batch_to_space((2, 2, 1), [2], [[0, 0]], (1, 4, 1, 1)), "as many dimensions"),
    (batch_to_space((4, 2, 2, 1), [2], [[0, 0]] * 2, (1, 4, 4, 1)), "block sizes .input 1."),
    (batch_to_space((2, 2, 1), [2], [[0, 0]], (1, 4, 1), "int16"), "Input 0 is one of"),
)
