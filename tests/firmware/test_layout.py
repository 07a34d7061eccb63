"""Where tensors and scratch memory lie."""

from dataclasses import replace

import pytest

from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.kernel import Routine, Scratch, State, Work
from arenite.firmware.network.layers import network_of
from arenite.firmware.plan.layout import ALIGNMENT, layout_of
from arenite.firmware.plan.memory_check import replay
from arenite.firmware.plan.program import works_of
from arenite.model import ModelBuilder
from arenite.ops.tflite.reshape import ReshapeOptions
from tests.firmware.models import chain, residual
from tests.firmware.streaming.models import tower
from tests.runtime.wake_word import wake_word


@pytest.fixture
def network():
    return network_of(residual())


@pytest.fixture
def works(network):
    return [portable_work(layer) for layer in network.layers]


def test_an_output_lies_over_an_input_that_nobody_reads_any_more(network, works):
    places = layout_of(network, works).tensors
    _, _, add, relu = network.layers
    assert places[add.output.index] == places[add.input(0).index]
    assert places[relu.output.index] == places[add.output.index]


def test_an_output_does_not_lie_over_what_is_still_read(network, works):
    works[1] = replace(works[1], in_place=(0,))  # ADD reads that input once more
    places = layout_of(network, works).tensors
    second = network.layers[1]
    assert places[second.output.index] != places[second.input(0).index]


def test_the_arena_holds_just_what_lives_at_once(network, works):
    two = 2 * -(-6 // ALIGNMENT) * ALIGNMENT
    assert layout_of(network, works).size == -(-two // 16) * 16


def test_scratch_memory_is_beside_what_its_layer_reads_and_writes(network, works):
    works[0] = replace(works[0], arguments=(*works[0].arguments, Scratch(100)))
    layout = layout_of(network, works)
    (place,) = layout.scratch[0]
    for value in (network.layers[0].input(0), network.layers[0].output):
        at = layout.tensors[value.index]
        assert at + value.nbytes <= place or place + 100 <= at
    assert layout.size >= 112


def test_other_dimensions_of_what_is_still_read_are_the_same_memory():
    b = ModelBuilder()
    x = b.input("x", (4,), "int8", scale=1.0)
    y, z = (b.tensor(name, (2, 2), "int8", scale=1.0) for name in "yz")
    b.operator("RESHAPE", [x], [y])
    b.operator("RESHAPE", [x], [z])
    b.output(y)
    b.output(z)
    network = network_of(b.build())
    places = layout_of(network, [portable_work(layer) for layer in network.layers]).tensors
    assert places[x] == places[y] == places[z]


def test_room_behind_an_output_is_planned(network, works):
    works[0] = replace(works[0], room=50)
    assert layout_of(network, works).size >= 56


def test_an_output_that_grows_may_lie_over_its_input():
    network = network_of(chain())
    works = [portable_work(layer) for layer in network.layers]
    works[2] = replace(works[2], in_place=(0,), room=57)
    assert layout_of(network, [*works[:2], replace(works[2], grows=True)]).size == 64
    assert layout_of(network, [*works[:2], replace(works[2], in_place=())]).size == 80


def test_nothing_lies_in_what_is_kept(network, works):
    state = State("kept", 10)
    works[2] = replace(works[2], arguments=(*works[2].arguments, state))
    layout = layout_of(network, works)
    place = layout.states[state]
    for index, at in layout.tensors.items():
        assert at + 6 <= place or place + 10 <= at, index


def test_layers_with_an_equal_state_share_its_memory(network, works):
    for number in (0, 3):
        more = (*works[number].arguments, State("kept", 10))
        works[number] = replace(works[number], arguments=more)
    assert list(layout_of(network, works).states) == [State("kept", 10)]


def test_eight_bytes_wide_elements_are_aligned():
    b = ModelBuilder()
    x = b.input("x", (1,), "int64")
    y, z = (b.tensor(name, (1,), "int64") for name in "yz")
    b.operator("RESHAPE", [x], [y])
    b.operator("RESHAPE", [y], [z])
    b.output(z)
    layout = layout_of(network_of(b.build()), [Work(Routine("copy", (), ""))] * 2)
    assert [layout.tensors[index] % 8 for index in (y, z)] == [0, 0]


def test_the_planner_is_a_choice(network, works):
    assert layout_of(network, works, "linear").size > layout_of(network, works).size


@pytest.mark.parametrize(
    "model", [residual(), tower(), wake_word()], ids=["residual", "tower", "wake"]
)
def test_outputs_that_are_apart_lie_on_no_input(model):
    network = network_of(model)
    works = works_of(network, portable_work)
    layout = layout_of(network, works, inputs="apart")
    replay(network, layout, inputs="apart")
    for x in network.inputs:
        for y in network.outputs:
            first, second = layout.tensors[x.index], layout.tensors[y.index]
            assert first + x.nbytes <= second or second + y.nbytes <= first


def test_an_output_that_is_an_input_s_own_bytes_cannot_lie_apart():
    b = ModelBuilder()
    x = b.input("x", (4,), "int8", scale=1.0)
    y = b.tensor("y", (1, 4), "int8", scale=1.0)
    b.operator("RESHAPE", [x], [y], ReshapeOptions((1, 4)))
    b.output(y)
    network = network_of(b.build())
    with pytest.raises(ValueError, match="'x' cannot lie apart: its own bytes are an output"):
        layout_of(network, works_of(network, portable_work), inputs="apart")
