"""Native kernels equal the reference beyond the sizes of their blocks, and with fed weights."""

import numpy as np
import pytest

from arenite.runtime.heap_host import HeapInterpreter
from tests.native.sizes import CASES, build
from tests.native.strategies import steps_of
from tests.ops.differential import assert_same, take

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("case", CASES)
def test_equals_the_reference(case: str, isa: str) -> None:
    model = build(case)
    steps = steps_of(model, 1, invokes=3)
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    reference.allocate_tensors()
    native.allocate_tensors()
    compiled = native.compile(isa)
    assert compiled.kernel(0) != "python"
    native.invoke = compiled.invoke  # type: ignore[method-assign]
    got, expected = take(native, model, steps), take(reference, model, steps)
    for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        for mine, its in zip(ours, theirs, strict=True):
            assert len(np.unique(its)) > its.size // 100, "the case says nothing"
            assert_same(mine, its, model, number, variant=isa)
