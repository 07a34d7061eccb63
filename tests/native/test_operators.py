"""Every native kernel gives the reference's output, on the models of the operator's own test.

Models, inputs and the number of inferences come from ``test_equals_tflm`` of the test file in
``tests/ops``: the same test runs here, with native kernels in the place of TFLM.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from arenite.errors import AreniteError
from arenite.model import Model
from arenite.ops.registry import builtin_names
from arenite.runtime.heap import HeapInterpreter
from tests.ops.differential import assert_same, differential, random_array, take
from tests.oracle import RESET, Step

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas  # noqa: E402 - the module needs the engine
from arenite.runtime.compiled import CompiledSubgraph  # noqa: E402

Array = np.ndarray[Any, Any]

#: The instruction sets that this machine has.
MACHINE = available_isas()
#: Operators whose tests generate no models of their own.
UNTESTED: set[str] = set()
#: What runs in Python, by operator: the types of its inputs and outputs, or "all".
WITHOUT_KERNEL: dict[str, set[str]] = {}


def operator_test(name: str) -> Any:
    """The module that tests an operator against TFLM."""
    return importlib.import_module(f"tests.ops.test_{name.lower()}")


TESTED = [
    name
    for name in builtin_names()
    if importlib.util.find_spec(f"tests.ops.test_{name.lower()}") is not None
]


def types(model: Model) -> str:
    """The element types of the operator's tensors, such as ``"int8,int8,int32->int8"``."""
    operator = model.main.operators[0]

    def names(indices: tuple[int, ...]) -> str:
        return ",".join(str(model.main.tensors[i].type) for i in indices if i >= 0)

    return f"{names(operator.inputs)}->{names(operator.outputs)}"


def steps_of(
    model: Model, seed: int, inputs: list[Array] | None, invokes: int, reset: bool
) -> list[Step]:
    """What :func:`tests.ops.differential.agrees` feeds."""
    rng = np.random.default_rng(seed)
    one: list[Step] = [
        inputs if inputs is not None else [random_array(t, rng) for t in model.inputs]
        for _ in range(invokes)
    ]
    return [*one, RESET, *one] if reset else one


class Native(HeapInterpreter):
    """A heap interpreter that runs native kernels where there are any."""

    def __init__(self, model: Model, isa: str) -> None:
        super().__init__(model)
        self.allocate_tensors()
        self.compiled = CompiledSubgraph(self._graph, isa)

    def invoke(self) -> None:
        self.compiled.invoke()


def reference(model: Model, steps: list[Step]) -> list[list[Array]] | None:
    """The reference's outputs, None where it refuses the data."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    try:
        return take(interpreter, model, steps)
    except AreniteError:
        return None


def comparison(name: str, isa: str, in_python: set[str]) -> Callable[..., None]:
    """A function to be called like ``agrees``, which notes the types that ran in Python."""

    def compare(
        oracle: object,
        model: Model,
        seed: int,
        *,
        inputs: list[Array] | None = None,
        invokes: int = 1,
        reset: bool = False,
        float_rtol: float = 1e-5,
    ) -> None:
        steps = steps_of(model, seed, inputs, invokes, reset)
        try:
            native = Native(model, isa)
        except AreniteError:
            return
        if native.compiled.kernel(0) == "python":
            in_python.add(types(model))
            return
        expected = reference(model, steps)
        if expected is None:
            with pytest.raises(AreniteError):
                take(native, model, steps)
            return
        got = take(native, model, steps)
        for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
            for mine, its in zip(ours, theirs, strict=True):
                assert_same(mine, its, model, number, variant=isa)

    return compare


@pytest.mark.parametrize("isa", MACHINE)
@pytest.mark.parametrize("name", TESTED)
def test_native_equals_the_reference(name: str, isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, in_python = operator_test(name), set[str]()
    monkeypatch.setattr(module, "agrees", comparison(name, isa, in_python))
    hypothesis_test = module.test_equals_tflm.hypothesis
    strategies = hypothesis_test._given_kwargs
    differential(given(**strategies)(hypothesis_test.inner_test))(oracle=None)
    expected = WITHOUT_KERNEL.get(name, set())
    assert "all" in expected or in_python <= expected, f"{name} runs in Python: {in_python}"
