"""Every native kernel gives the reference's output, on the models of the operator's own test."""

from collections.abc import Callable
from typing import Any

import pytest

from arenite.errors import AreniteError, InferenceAborted
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import HOST, Target
from tests.native.strategies import OPERATORS, judge, steps_of
from tests.ops.differential import assert_same, take
from tests.steps import Step

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas

#: What has no kernel, by operator: the types of its inputs and outputs.
WITHOUT_KERNEL: dict[str, set[str]] = {}
#: Tensors of more dimensions go to Python.
MAX_RANK = 6


class Native(HeapInterpreter):
    """A heap interpreter that runs native kernels where there are any."""

    def __init__(self, model: Model, isa: str, target: Target = HOST) -> None:
        super().__init__(model, target=target)
        self.allocate_tensors()
        self.compiled = self.compile(isa)

    def invoke(self) -> bool:
        try:
            self.compiled.invoke()
        except InferenceAborted:
            return False
        return True


def types(model: Model) -> str:
    """The element types of the operator's tensors, such as ``"int8,int8,int32->int8"``."""
    operator = model.main.operators[0]

    def names(indices: tuple[int, ...]) -> str:
        return ",".join(str(model.main.tensors[i].type) for i in indices if i >= 0)

    return f"{names(operator.inputs)}->{names(operator.outputs)}"


def outputs(interpreter: HeapInterpreter, model: Model, steps: list[Step]) -> Any:
    """The outputs, or the words with which they are refused."""
    try:
        return take(interpreter, model, steps)
    except AreniteError as error:
        return str(error)


def comparison(isa: str, in_python: set[str], target: Target = HOST) -> Callable[..., None]:
    """A judge that notes the types for which there is no kernel."""

    def compare(oracle: object, model: Model, seed: int, **arguments: Any) -> None:
        reference = HeapInterpreter(model, target=target)
        try:
            reference.allocate_tensors()
        except AreniteError:
            return
        native = Native(model, isa, target)
        if native.compiled.kernel(0) == "python":
            if all(len(tensor.shape) <= MAX_RANK for tensor in model.main.tensors):
                in_python.add(types(model))
            return
        steps = steps_of(model, seed, **arguments)
        expected, got = outputs(reference, model, steps), outputs(native, model, steps)
        if isinstance(expected, str):
            assert got == expected
            return
        for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
            for mine, its in zip(ours, theirs, strict=True):
                assert_same(mine, its, model, number, variant=isa)

    return compare


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", OPERATORS)
def test_equals_the_reference(name: str, isa: str) -> None:
    in_python: set[str] = set()
    judge(name, comparison(isa, in_python))
    assert in_python <= WITHOUT_KERNEL.get(name, set()), "these types have no kernel"


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", OPERATORS)
def test_equals_the_reference_that_rounds_once(name: str, isa: str) -> None:
    in_python: set[str] = set()
    once = Target("cortex-m4", "tflm", rounding="single")
    judge(name, comparison(isa, in_python, once))
    assert in_python <= WITHOUT_KERNEL.get(name, set()), "these types have no kernel"
