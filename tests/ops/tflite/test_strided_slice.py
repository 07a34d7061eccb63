"""STRIDED_SLICE equals TFLM for every begin, end, stride and mask that TFLM knows."""

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite

Index = tuple[int | None, int | None, int] | int
"""Begin, end (None: masked) and stride of an axis, or the one index of an axis that shrinks."""
INT32 = st.integers(-(2**31), 2**31 - 1)


def strided_slice(
    shape: tuple[int, ...],
    indices: list[Index],
    kind: str = "int8",
    *,
    index_type: str = "int32",
    shrink_stride: int = 1,
    **options: int,
) -> Model:
    """``x[indices]``."""
    begin, end, strides, whole = [], [], [], []
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0}
    for axis, (n, index) in enumerate(zip(shape, indices, strict=False)):
        if isinstance(index, int):
            first, last, stride = index, 0, shrink_stride
            masks["shrink_axis_mask"] |= 1 << axis
        else:
            first, last, stride = index
            masks["begin_mask"] |= (first is None) << axis
            masks["end_mask"] |= (last is None) << axis
            whole.append(len(range(*slice(first, last, stride or 1).indices(n))))
        begin.append(1 if first is None else first)
        end.append(1 if last is None else last)
        strides.append(stride)
    b = ModelBuilder()
    inputs = [b.input("x", shape, kind)]
    for name, values in (("begin", begin), ("end", end), ("strides", strides)):
        inputs.append(b.constant(name, np.array(values, index_type)))
    y = b.tensor("y", whole, kind)
    return one_operator(
        b, "STRIDED_SLICE", inputs, [y], StridedSliceOptions(**{**masks, **options})
    )


@st.composite
def axes(draw: st.DrawFn, n: int) -> Index:
    if draw(st.integers(0, 3)) == 0:
        return draw(st.integers(-n - 2, n - 1))
    near = st.none() | st.integers(-n - 2, n + 2) | INT32
    stride = draw(st.sampled_from([1, 1, 1, -1, 2, -2, 3]) | INT32.filter(bool))
    return draw(near), draw(near), stride


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
    indices = [draw(axes(n)) for n in shape]
    taken = [
        range(*slice(*index).indices(n))
        for n, index in zip(shape, indices, strict=True)
        if not isinstance(index, int)
    ]
    assume(all(taken))  # TFLM refuses empty outputs
    return strided_slice(
        shape, indices, draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32", "bool"]))
    )


test_equals_tflm = equals_tflm(models())


X = np.arange(12, dtype=np.int8).reshape(3, 4)


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([(0, 2, 1), (1, 3, 1)], X[0:2, 1:3]),
        ([(None, None, 2), (None, None, -1)], X[::2, ::-1]),
        ([(-1, -9, -1), (9, None, -2)], X[::-1, ::-2]),
        ([1, (None, None, 1)], X[1]),
        ([-1, -1], X[-1, -1]),
        ([-9, 0], X[0, 0]),
    ],
)
def test_it_is_python_slicing(indices: list[Index], expected: np.ndarray) -> None:
    result = run_arenite(strided_slice((3, 4), indices), [[X]])[0][0]
    assert result.shape == expected.shape
    assert result.tolist() == expected.tolist()


def test_nothing_may_be_taken() -> None:
    model = strided_slice((4,), [(3, 1, 1)])
    assert run_arenite(model, [[np.zeros(4, np.int8)]])[0][0].shape == (0,)


test_what_is_refused = refuses(
    (strided_slice((4,), [(0, 4, 0)]), r"strides must not be 0, got \[0\]"),
    (strided_slice((4,), [4]), "axis 0 shrinks: it needs an index under 4 .* got index 4"),
    (
        strided_slice((4,), [1], shrink_stride=-1),
        "a positive stride, got index 1 and stride -1",
    ),
    (strided_slice((1,) * 5, [(0, 1, 1)] * 5), "at most 4 dimensions"),
    (strided_slice((2, 2), [(0, 1, 1)]), "one number per axis"),
    (strided_slice((4,), [(0, 1, 1)], index_type="int64"), "are int32"),
    (strided_slice((4,), [(0, 4, 1)], ellipsis_mask=1), "are not set: TFLM ignores them"),
    (strided_slice((4,), [(0, 4, 1)], new_axis_mask=1), "are not set: TFLM ignores them"),
    (strided_slice((4,), [(0, 4, 1)], offset=1), "are not set: TFLM ignores them"),
    (strided_slice((4,), [(0, 1, 1)], "uint8"), "Input 0 is one of"),
)
