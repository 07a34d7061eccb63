"""DEPTH_TO_SPACE equals TFLM for every block size and shape."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model
from arenite.ops.tflite.depth_to_space import DepthToSpaceOptions
from tests.ops.differential import equals_tflm, refuses, run_arenite
from tests.ops.moves import Shape, moving


def depth_to_space(shape: Shape, size: int, output: Shape, kind: str = "int8") -> Model:
    return moving("DEPTH_TO_SPACE", (shape, output), kind, [], DepthToSpaceOptions(size)).model


@st.composite
def models(draw: st.DrawFn) -> Model:
    n, h, w, depth = (draw(st.integers(1, 4)) for _ in range(4))
    size = draw(st.integers(1, 4))
    output: Shape = (n, h * size, w * size, depth)
    if draw(st.sampled_from([False, False, False, True])):
        output = (h * size, n, w * size, depth)  # TFLM writes the dimensions anew
    kind = draw(st.sampled_from(["int8", "float32"]))
    return depth_to_space((n, h, w, depth * size * size), size, output, kind)


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_a_pixel_becomes_a_block_row_by_row() -> None:
    x = np.array([0, 1, 4, 5, 2, 3, 6, 7], np.int8).reshape(1, 1, 2, 4)
    y = run_arenite(depth_to_space((1, 1, 2, 4), 2, (1, 2, 4, 1)), [[x]])[0][0]
    assert y.reshape(-1).tolist() == list(range(8))


test_what_is_refused = refuses(
    (
        depth_to_space((1, 1, 1, 6), 2, (1, 2, 2, 1)),
        "a depth of 6 must divide into blocks of 2",
    ),
    (depth_to_space((1, 1, 1, 4), 0, (1, 2, 2, 1)), "block_size is positive"),
    (depth_to_space((1, 1, 4), 2, (1, 2, 2, 1)), "Input 0 has 4 dimensions"),
    (depth_to_space((1, 1, 1, 4), 2, (2, 2, 1)), "Output 0 has 4 dimensions"),
    (depth_to_space((1, 1, 1, 4), 2, (1, 2, 2, 1), "int16"), "Input 0 is one of"),
)
