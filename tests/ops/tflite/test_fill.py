"""FILL equals TFLM on random shapes and types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import equals_tflm, one_operator, run_arenite
from tests.ops.unary import is_refused
from tests.oracle import Oracle


def fill(
    kind: str,
    shape: tuple[int, ...],
    *,
    dims: Any = None,
    dims_type: Any = np.int32,
    value: tuple[int, ...] = (),
    constant: float | None = None,
    fed: bool = False,
    output_kind: str = "",
) -> Model:
    """FILL with a value that is fed, or a constant one."""
    b = ModelBuilder()
    sizes = np.asarray(shape if dims is None else dims, dims_type)
    d = b.input("dims", sizes.shape, "int32") if fed else b.constant("dims", sizes)
    if constant is None:
        v = b.input("value", value, kind)
    else:
        v = b.constant("value", np.array(constant, kind))
    y = b.tensor("y", shape, output_kind or kind)
    return one_operator(b, "FILL", [d, v], [y])


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6).map(tuple) | st.just((999,)))
    kinds = [np.int8, np.int16, np.int32, np.int64]
    small = max(shape) < 128
    return fill(
        draw(st.sampled_from(["float32", "int32", "int8"])),
        shape,
        dims_type=draw(st.sampled_from(kinds if small else kinds[1:])),
        constant=draw(st.none() | st.integers(-128, 127)),
    )


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_every_element_is_the_value() -> None:
    result = run_arenite(fill("float32", (2, 3)), [[np.float32(2.5)]])[0][0]
    assert result.tolist() == [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]


def test_an_output_of_other_dimensions_is_refused(oracle: Oracle) -> None:
    assert is_refused(oracle, fill("float32", (2, 3), dims=(3, 2)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (fill("int16", (2,)), "Input 1 is one of: float32, int32, int8"),
        (fill("int8", (2,), output_kind="int32"), "Input 1 and output 0 have the same type"),
        (fill("int8", (2,), value=(1,)), "Input 1 has 0 dimensions"),
        (fill("int8", (2,), dims=[[2]]), "Input 0 has 1 dimensions"),
        (fill("int8", (2,), dims_type=np.uint8), "Input 0 is one of: int8, int16, int32, int64"),
        (fill("int8", (2,), fed=True), "Input 0 is a constant"),
        (fill("int8", (2,), dims=(-1, -2)), "dimensions of at least 0"),
        (fill("int8", ()), "constant|at least one"),
    ],
)
def test_refuses(oracle: Oracle, model: Model, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(model).allocate_tensors()
    assert is_refused(oracle, model)
