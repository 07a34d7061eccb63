"""SQUEEZE equals TFLM with and without a list of dimensions."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.squeeze import SqueezeOptions
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses, run_arenite
from tests.ops.raw import bfloat16_through, copied_bits, int4_weights_through
from tests.oracle import Oracle

TYPES = ["int8", "int8", "int16", "float32", "int32", "int64", "uint8", "uint32", "bool"]


def squeeze(
    shape: tuple[int, ...],
    squeezed: tuple[int, ...],
    dims: tuple[int, ...] | None = None,
    kind: str = "int8",
    output_kind: str | None = None,
) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, kind)
    y = b.tensor("y", squeezed, output_kind or kind)
    return one_operator(b, "SQUEEZE", [x], [y], SqueezeOptions(squeeze_dims=dims))


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.sampled_from([1, 1, 2, 3]), max_size=8)))
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    dims = None
    if draw(st.booleans()):
        signed = [draw(st.sampled_from([axis, axis - len(shape)])) for axis in ones]
        dims = tuple(draw(st.lists(st.sampled_from(signed), max_size=8))) if ones else ()
    gone = {axis % len(shape) for axis in dims or ()} or set(ones)
    squeezed = tuple(size for axis, size in enumerate(shape) if axis not in gone)
    return squeeze(shape, squeezed, dims, draw(st.sampled_from(TYPES)))


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize(
    ("dims", "squeezed"),
    [(None, (2,)), ((), (2,)), ((0,), (2, 1)), ((-1,), (1, 2)), ((0, 0), (2, 1))],
)
def test_the_listed_dimensions_go_or_all_of_size_1(
    dims: tuple[int, ...] | None, squeezed: tuple[int, ...]
) -> None:
    x = np.array([[[5], [6]]], np.int8)
    result = run_arenite(squeeze((1, 2, 1), squeezed, dims), [[x]])[0][0]
    assert result.shape == squeezed
    assert result.reshape(-1).tolist() == [5, 6]


test_what_is_refused = refuses(
    (squeeze((1, 2), (1,), (1,)), r"axis 1 must have size 1 to be squeezed, got \[1, 2\]"),
    (squeeze((1, 2), (2,), (2,)), r"axis must lie in \[-2, 2\), got 2"),
    (squeeze((1,) * 9, ()), "at most 8 dimensions"),
    (squeeze((1, 2), (2,), (0,) * 9), "at most 8 dimensions"),
    (squeeze((1, 2), (2,), None, "int8", "uint8"), "have the same type"),
)


@pytest.mark.parametrize(("units", "depth"), [(4, 8), (3, 5)])
def test_int4_weights_go_through_packed(oracle: Oracle, units: int, depth: int) -> None:
    shape = (1, units, depth)
    model = int4_weights_through("SQUEEZE", units, depth, shape)
    assert agrees(oracle, model, 0, invokes=3).status == "ok"


@pytest.mark.parametrize("isa", [None, "portable"])
def test_bfloat16_is_copied(oracle: Oracle, isa: str | None) -> None:
    model = bfloat16_through("SQUEEZE", (2, 1, 12), (2, 12))
    assert agrees(oracle, model, 0).status == "ok"
    assert copied_bits(model, isa) == [257 * i for i in range(24)]
