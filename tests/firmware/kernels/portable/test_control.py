"""Networks with subgraphs and resource variables, as C."""

import numpy as np

import arenite as ar
from arenite.firmware import export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.layers import network_of
from arenite.firmware.plan.program import program_of
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.if_ import IfOptions
from tests.firmware.built import Compiled
from tests.ops.differential import random_array
from tests.runtime.wake_word import wake_word


def test_a_streaming_model_hears_what_the_interpreter_hears_window_by_window(tmp_path):
    model = wake_word()
    compiled = Compiled(export(model, tmp_path / "m", target=None, name="wake"), model)
    interpreter = ar.Interpreter(model)
    rng = np.random.default_rng(0)
    for window in range(50):
        if window == 30:  # variables have their zero points then, not what CALL_ONCE gave them
            compiled.reset()
            interpreter.reset()
        x = random_array(model.inputs[0], rng)
        np.testing.assert_array_equal(compiled(x)[0], interpreter(x))


def test_layers_have_the_subgraphs_that_they_call():
    (layer,) = network_of(negated_or_not()).layers
    assert [network.number for network in layer.called] == [1, 2]
    assert [one.name for one in layer.called[0].layers] == ["NEG"]


def test_tensors_of_both_branches_lie_in_the_same_scratch_memory():
    program = program_of(negated_or_not(), portable_work)
    (work,) = program.works
    assert [piece.bytes for piece in work.scratch] == [
        16
    ]  # of given and made in turn, whichever branch


def negated_or_not() -> Model:
    """float32 [4], or its negative where a bool says so."""
    b = ModelBuilder()
    says, x = b.input("says", (1,), "bool"), b.input("x", (4,), "float32")
    y = b.tensor("y", (4,), "float32")
    b.operator("IF", [says, x], [y], IfOptions(1, 2))
    b.output(y)
    branches = []
    for name in ("NEG", "FLOOR"):
        branch = ModelBuilder(name)
        given = branch.input("given", (4,), "float32")
        made = branch.tensor("made", (4,), "float32")
        branch.operator(name, [given], [made])
        branch.output(made)
        branches.append(branch.subgraph())
    return b.build(subgraphs=branches)
