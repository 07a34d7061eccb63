"""SPLIT_V equals TFLM for every axis, type and division."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.split_v import SplitVOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses, run_arenite
from tests.oracle import Oracle


def split_v(
    shape: tuple[int, ...],
    axis: int,
    parts: Sequence[int],
    kind: str = "int8",
    *,
    sizes: Sequence[int] | None = None,
    sizes_type: str = "int32",
    axis_type: str = "int32",
    axis_shape: tuple[int, ...] = (),
    fed_sizes: bool = False,
) -> Model:
    """``parts`` are the lengths of the outputs, ``sizes`` what input 1 says instead."""
    at = axis % max(len(shape), 1)
    b = ModelBuilder()
    x = b.input("x", shape, kind)
    numbers = np.array(parts if sizes is None else sizes, sizes_type)
    given_sizes = (
        b.input("sizes", numbers.shape, sizes_type) if fed_sizes else b.constant("sizes", numbers)
    )
    axis_tensor = b.constant("axis", np.full(axis_shape, axis, axis_type))
    outputs = [
        b.tensor(f"y{i}", (*shape[:at], n, *shape[at + 1 :]), kind) for i, n in enumerate(parts)
    ]
    return one_operator(
        b, "SPLIT_V", [x, given_sizes, axis_tensor], outputs, SplitVOptions(len(parts))
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    at = draw(st.integers(0, len(shape) - 1))
    parts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    shape[at] = sum(parts)
    sizes = list(parts)
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(parts) - 1))] = draw(st.sampled_from([-1, 0, 7]))
    return split_v(
        tuple(shape),
        draw(st.sampled_from([at, at - len(shape)])),
        parts,
        draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"])),
        sizes=sizes,
        sizes_type=draw(st.sampled_from(["int32", "int32", "int64"])),
        axis_type=draw(st.sampled_from(["int32", "int32", "int64"])),
        axis_shape=draw(st.sampled_from([(), (1,)])),
        fed_sizes=draw(st.sampled_from([False, False, False, True])),
    )


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_parts_are_cut_along_the_axis() -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    left, right = run_arenite(split_v((2, 3), -1, [1, 2]), [[x]])[0]
    assert left.tolist() == [[1], [4]]
    assert right.tolist() == [[2, 3], [5, 6]]


def test_the_outputs_decide_and_not_the_sizes(oracle: Oracle) -> None:
    answer = agrees(oracle, split_v((6,), 0, [1, 5], sizes=[3, 3]), 0)
    assert [len(part) for part in answer.outputs[0]] == [1, 5]


def test_a_part_may_be_empty() -> None:
    x = np.array([1, 2], np.int8)
    assert [part.tolist() for part in run_arenite(split_v((2,), 0, [0, 2]), [[x]])[0]] == [
        [],
        [1, 2],
    ]


def test_the_sizes_decide_where_the_input_was_resized() -> None:
    interpreter = HeapInterpreter(split_v((6,), 0, [2, 4], sizes=[2, -1]))
    interpreter.resize_input(0, (9,))
    interpreter.allocate_tensors()
    assert [interpreter.output(i).shape for i in (0, 1)] == [(2,), (7,)]


test_what_is_refused = refuses(
    (
        split_v((2, 5), 1, [2, 2]),
        r"the outputs must share the 5 elements of axis 1 of the input, got \[2, 2\]",
    ),
    (split_v((5,), 0, [4, 2], sizes=[-1, -1]), r"the 5 elements of .* got \[5, 5\]"),
    (split_v((2, 2), 2, [1, 1]), r"axis must lie in \[-2, 2\), got 2"),
    (split_v((2, 2), -3, [1, 1]), r"axis must lie in \[-2, 2\), got -3"),
    (split_v((), 0, [1]), r"axis must lie in \[0, 0\), got 0"),
    (split_v((2, 2), 0, [1, 1], axis_shape=(2,)), r"The axis \(input 2\) is one number"),
    (split_v((2, 2), 0, [1, 1], axis_type="int16"), "Input 2 is one of: int32, int64"),
    (split_v((2, 2), 0, [1, 1], "uint8"), "Input 0 is one of: float32, int8, int16, int32"),
)


def test_a_fed_axis_is_refused() -> None:
    b = ModelBuilder()
    inputs = [b.input("x", (2,), "int8"), b.constant("sizes", np.array([1, 1], np.int32))]
    inputs.append(b.input("axis", (), "int32"))
    outputs = [b.tensor(name, (1,), "int8") for name in "ab"]
    b.operator("SPLIT_V", inputs, outputs, SplitVOptions(2))
    b.output(outputs[0])
    with pytest.raises(ConstraintError, match="Input 2 is a constant"):
        run_arenite(b.build(), [])
