"""PACK equals TFLM for every axis, type and number of inputs."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.pack import PackOptions
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite


def pack(
    shapes: list[tuple[int, ...]], axis: int, kind: str = "int8", values_count: int | None = None
) -> Model:
    rank = len(shapes[0]) + 1
    whole = list(shapes[0])
    whole.insert(axis + rank if axis < 0 else axis, len(shapes))
    b = ModelBuilder()
    inputs = [b.input(f"x{i}", shape, kind) for i, shape in enumerate(shapes)]
    y = b.tensor("y", whole, kind)
    count = len(shapes) if values_count is None else values_count
    return one_operator(b, "PACK", inputs, [y], PackOptions(values_count=count, axis=axis))


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=5)))
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32", "int64"]))
    return pack([shape] * draw(st.integers(1, 12)), axis, kind)


test_equals_tflm = equals_tflm(models())


def test_inputs_are_stacked_along_a_new_axis() -> None:
    x, y = np.array([1, 2], np.int8), np.array([3, 4], np.int8)
    assert run_arenite(pack([(2,), (2,)], 0), [[x, y]])[0][0].tolist() == [[1, 2], [3, 4]]
    assert run_arenite(pack([(2,), (2,)], -1), [[x, y]])[0][0].tolist() == [[1, 3], [2, 4]]


test_what_is_refused = refuses(
    (pack([(2,), (2,)], 2), r"axis must lie in \[-2, 2\), got 2"),
    (pack([(2,), (3,)], 0), "All inputs have the same shape"),
    (pack([(2,), (2,)], 0, values_count=3), "The option values_count is the number of inputs"),
    (pack([(2,), (2,)], 0, "uint8"), "Input 0 is one of: float32, int8, int16, int32, int64"),
)
