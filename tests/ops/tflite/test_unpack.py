"""UNPACK equals TFLM for every axis and type."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.unpack import UnpackOptions
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def unpack(
    shape: tuple[int, ...], axis: int, count: int, kind: str = "int8", num: int | None = None
) -> Model:
    at = axis % len(shape)
    part = shape[:at] + shape[at + 1 :]
    b = ModelBuilder()
    x = b.input("x", shape, kind)
    outputs = [b.tensor(f"y{i}", part, kind) for i in range(count)]
    return one_operator(
        b, "UNPACK", [x], outputs, UnpackOptions(num=count if num is None else num, axis=axis)
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=6)))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"]))
    return unpack(shape, axis, shape[axis], kind)


test_equals_tflm = equals_tflm(models())


def test_parts_no_longer_have_the_axis() -> None:
    x = np.array([[1, 2], [3, 4]], np.int8)
    left, right = run_arenite(unpack((2, 2), -1, 2), [[x]])[0]
    assert left.tolist() == [1, 3]
    assert right.tolist() == [2, 4]


test_what_is_refused = refuses(
    (unpack((2, 2), 2, 2), r"axis must lie in \[-2, 2\), got 2"),
    (unpack((2, 3), 1, 2), "axis 1 of the input must have 2 elements, one per output"),
    (unpack((2, 2), 0, 2, num=3), "The option num is the number of outputs"),
    (unpack((2, 2), 0, 2, "int64"), "Input 0 is one of: float32, int8, int16, int32"),
)
