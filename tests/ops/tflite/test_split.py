"""SPLIT equals TFLM for every axis, type and number of parts."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.split import SplitOptions
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def split(
    shape: tuple[int, ...],
    axis: int,
    count: int,
    kind: str = "int8",
    *,
    axis_type: str = "int32",
    axis_shape: tuple[int, ...] = (),
) -> Model:
    at = axis % max(len(shape), 1)
    part = [n // count if i == at else n for i, n in enumerate(shape)]
    b = ModelBuilder()
    axis_tensor = b.constant("axis", np.full(axis_shape, axis, axis_type))
    x = b.input("x", shape, kind)
    outputs = [b.tensor(f"y{i}", part, kind) for i in range(count)]
    return one_operator(b, "SPLIT", [axis_tensor, x], outputs, SplitOptions(num_splits=count))


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    at, count = draw(st.integers(0, len(shape) - 1)), draw(st.integers(1, 6))
    shape[at] *= count
    return split(
        tuple(shape),
        draw(st.sampled_from([at, at - len(shape)])),
        count,
        draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"])),
        axis_type=draw(st.sampled_from(["int32", "int32", "int64"])),
        axis_shape=draw(st.sampled_from([(), (1,)])),
    )


test_equals_tflm = equals_tflm(models())


def test_parts_are_cut_along_the_axis() -> None:
    x = np.array([[1, 2], [3, 4]], np.int8)
    left, right = run_arenite(split((2, 2), -1, 2), [[x]])[0]
    assert left.tolist() == [[1], [3]]
    assert right.tolist() == [[2], [4]]


test_what_is_refused = refuses(
    (split((2, 3), 1, 2), r"axis 1 of the input must divide into 2 equal parts, got \[2, 3\]"),
    (split((2, 2), 2, 2), r"axis must lie in \[-2, 2\), got 2"),
    (split((2, 2), -3, 2), r"axis must lie in \[-2, 2\), got -3"),
    (split((2, 2), 0, 2, axis_shape=(2,)), r"The axis \(input 0\) is one number"),
    (split((2, 2), 0, 2, axis_type="int16"), "Input 0 is one of: int32, int64"),
    (split((2, 2), 0, 2, "uint8"), "Input 1 is one of: float32, int8, int16, int32"),
)
