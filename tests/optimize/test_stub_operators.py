"""Stand-ins for operators that nobody knows: functions of their inputs."""

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.optimize.stub_operators import resolver_for
from arenite.runtime.heap_host import HeapInterpreter
from tests.runtime.models import conv_model, custom_chain


def outputs(model: Model, value: int) -> list[np.ndarray]:
    interpreter = HeapInterpreter(model, resolver_for(model)[0])
    interpreter.allocate_tensors()
    interpreter.input(0)[...] = value
    interpreter.invoke()
    return [interpreter.output(i).copy() for i in range(len(model.outputs))]


def test_known_operators_have_none():
    assert resolver_for(conv_model())[1] == ()


def test_names_are_listed_once():
    assert resolver_for(custom_chain(3))[1] == ("STEP",)


def test_outputs_follow_inputs_and_nothing_else():
    model = custom_chain(1)
    assert outputs(model, 1)[0].tobytes() == outputs(model, 1)[0].tobytes()
    assert outputs(model, 1)[0].tobytes() != outputs(model, 2)[0].tobytes()


def test_other_operators_are_other_functions():
    first, second = (custom_chain(1, name=name) for name in ("ONE", "OTHER"))
    assert outputs(first, 1)[0].tobytes() != outputs(second, 1)[0].tobytes()


def test_outputs_of_every_kind_are_filled_with_legal_values():
    b = ModelBuilder()
    x = b.input("x", (4,), "int8")
    ys = [b.tensor(kind, (64,), kind) for kind in ("float32", "bool", "int16")]
    b.operator("MINE", [x], ys, custom_options=b"")
    for y in ys:
        b.output(y)
    floats, truths, integers = outputs(b.build(), 3)
    assert np.isfinite(floats).all()
    assert set(truths.view(np.uint8).tolist()) == {0, 1}
    assert len(np.unique(integers)) > 32
