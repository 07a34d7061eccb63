"""Floats of a core with an FPU: what an element takes next to TFLM's own kernel."""

import pytest

from arenite.analysis.device import device_operators
from arenite.firmware.trial import trial
from arenite.libraries.cmsis_nn.cost.estimate import cost_of
from arenite.model import ModelBuilder
from arenite.ops import builtin
from arenite.target import find_target

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")
SHAPE = (1, 16, 16, 8)


def layer(name, shape=SHAPE):
    b = ModelBuilder()
    inputs = [b.input(f"x{i}", shape, "float32") for i in range(2 if name in PAIRS else 1)]
    y = b.tensor("y", shape, "float32")
    registration = builtin(name)
    b.operator(name, inputs, [y], registration.options() if registration.options else None)
    b.output(y)
    return b.build()


PAIRS = ("ADD", "SUB", "MUL")


@pytest.mark.parametrize("processor", ["cortex-m4", "cortex-m7"])
@pytest.mark.parametrize("name", [*PAIRS, "RELU", "RELU6"])
def test_a_layer_of_floats_takes_no_more_instructions_than_tflms(name, processor):
    model = layer(name)
    ours = trial(model, processor, runs=2, optimize=False)
    target = find_target(processor)
    (operator,) = device_operators(model, target)
    theirs = cost_of(operator.view, operator.path, target)
    assert ours.differences == ()
    assert ours.layers[0].instructions <= theirs.instructions


@pytest.mark.parametrize("size", [1, 3, 4, 5, 7, 8])
def test_elements_that_are_left_over_are_done_as_well(size):
    assert trial(layer("ADD", (size,)), "cortex-m4", runs=2, optimize=False).differences == ()
