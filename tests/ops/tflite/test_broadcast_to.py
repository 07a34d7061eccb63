"""BROADCAST_TO equals TFLM on random shapes and types."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import AreniteError, ConstraintError
from arenite.model import Model, ModelBuilder
from tests.ops.binary import Shape, run
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.ops.raw import bfloat16_through, copied_bits
from tests.oracle import Oracle

KINDS = ["float32", "int8", "int16", "int32", "int64", "bool", "uint8"]


def broadcast(
    kind: str, shape: Shape, wanted: list[int], output: Shape | None = None, index: str = "int32"
) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, kind)
    y = b.tensor("y", tuple(wanted) if output is None else output, kind)
    return one_operator(b, "BROADCAST_TO", [x, b.constant("shape", np.array(wanted, index))], [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    wanted = draw(st.lists(st.integers(1, 6), min_size=0, max_size=5))
    if wanted and draw(st.booleans()):
        wanted[-1] = 17
    ones = draw(st.lists(st.booleans(), min_size=len(wanted), max_size=len(wanted)))
    shape = [1 if one else size for one, size in zip(ones, wanted, strict=True)]
    start = draw(st.integers(0, len(shape)))
    if any(n != 1 for n in shape[:start]):
        start = 0
    index = draw(st.sampled_from(["int32", "int64"]))
    return broadcast(draw(st.sampled_from(KINDS)), tuple(shape[start:]), wanted, index=index)


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_rows_are_repeated() -> None:
    got = run(broadcast("int8", (2, 1), [2, 2, 3]), [[1], [2]])
    np.testing.assert_array_equal(got, [[[1] * 3, [2] * 3]] * 2)


@pytest.mark.parametrize(
    ("shape", "wanted", "output"),
    [
        ((3,), [2, 2], None),
        ((1, 2), [2], None),
        ((1,), [2, 3], (3, 2)),
        ((1,), [1] * 6, None),
    ],
)
def test_other_shapes_are_refused(
    oracle: Oracle, shape: Shape, wanted: list[int], output: Shape | None
) -> None:
    from arenite.ops import AllOpsResolver
    from arenite.runtime.micro_interpreter import MicroInterpreter

    model = broadcast("int8", shape, wanted, output)
    with pytest.raises(AreniteError):
        MicroInterpreter(model, AllOpsResolver(), 1 << 14).allocate_tensors()
    if output is None:
        assert agrees(oracle, model, 0).status == "refused"


def test_a_fed_shape_is_refused(oracle: Oracle) -> None:
    b = ModelBuilder()
    x, shape = b.input("x", (1,), "int8"), b.input("shape", (1,), "int32")
    y = b.tensor("y", (2,), "int8")
    b.operator("BROADCAST_TO", [x, shape], [y])
    b.output(y)
    with pytest.raises(ConstraintError, match="Input 1 is a constant of the model"):
        run(b.build())
    assert agrees(oracle, b.build(), 0).status == "refused"


@pytest.mark.parametrize("isa", [None, "portable"])
def test_bfloat16_is_repeated(oracle: Oracle, isa: str | None) -> None:
    model = bfloat16_through("BROADCAST_TO", (1, 3), (2, 3), np.array([2, 3], np.int32))
    assert agrees(oracle, model, 0).status == "ok"
    assert copied_bits(model, isa) == [0, 257, 514] * 2
