"""SPACE_TO_DEPTH equals TFLM for every block size and shape."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ShapeError
from arenite.model import Model
from arenite.ops import AllOpsResolver
from arenite.ops.tflite.space_to_depth import SpaceToDepthOptions
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import equals_tflm, refuses, run_arenite
from tests.ops.moves import Shape, moving


def space_to_depth(shape: Shape, size: int, output: Shape, kind: str = "int8") -> Model:
    return moving("SPACE_TO_DEPTH", (shape, output), kind, [], SpaceToDepthOptions(size)).model


@st.composite
def models(draw: st.DrawFn) -> Model:
    n, h, w, depth = (draw(st.integers(1, 4)) for _ in range(4))
    size = draw(st.integers(1, 4))
    output: Shape = (n, h, w, depth * size * size)
    if draw(st.sampled_from([False, False, False, True])):
        output = (n, 1, h * w, depth * size * size)  # TFLM writes the dimensions anew
    kind = draw(st.sampled_from(["int8", "float32"]))
    return space_to_depth((n, h * size, w * size, depth), size, output, kind)


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_a_block_becomes_one_pixel_row_by_row() -> None:
    x = np.arange(8, dtype=np.int8).reshape(1, 2, 4, 1)
    y = run_arenite(space_to_depth((1, 2, 4, 1), 2, (1, 1, 2, 4)), [[x]])[0][0]
    assert y.tolist() == [[[[0, 1, 4, 5], [2, 3, 6, 7]]]]


def test_an_output_of_another_size_is_refused() -> None:
    model = space_to_depth((1, 2, 2, 1), 2, (1, 1, 1, 5))
    with pytest.raises(ShapeError, match="expected an output of shape"):
        MicroInterpreter(model, AllOpsResolver(), bytearray(4096)).allocate_tensors()


test_what_is_refused = refuses(
    (
        space_to_depth((1, 2, 3, 1), 2, (1, 1, 1, 6)),
        "2 by 3 pixels must divide into blocks of 2",
    ),
    (space_to_depth((1, 2, 2, 1), 0, (1, 1, 1, 4)), "block_size is positive"),
    (space_to_depth((1, 2, 2, 1), -1, (1, 2, 2, 1)), "block_size is positive"),
    (space_to_depth((2, 2, 1), 2, (1, 1, 1, 4)), "Input 0 has 4 dimensions"),
    (space_to_depth((1, 2, 2, 1), 2, (1, 1, 4)), "Output 0 has 4 dimensions"),
    (space_to_depth((1, 2, 2, 1), 2, (1, 1, 1, 4), "int16"), "Input 0 is one of"),
)
