"""Where tensors and scratch memory lie."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arenite.firmware.layers import network_of
from arenite.firmware.layout import ALIGNMENT, layout_of
from arenite.firmware.portable import portable_work
from arenite.firmware.work import Scratch
from tests.firmware.models import chain, residual


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


def test_room_behind_an_output_is_planned(network, works):
    works[0] = replace(works[0], room=50)
    assert layout_of(network, works).size >= 56


def test_an_output_that_grows_may_lie_over_its_input():
    network = network_of(chain())
    works = [portable_work(layer) for layer in network.layers]
    works[2] = replace(works[2], in_place=(0,), room=57)
    assert layout_of(network, [*works[:2], replace(works[2], grows=True)]).size == 64
    assert layout_of(network, [*works[:2], replace(works[2], in_place=())]).size == 80


def test_the_planner_is_a_choice(network, works):
    assert layout_of(network, works, "linear").size > layout_of(network, works).size
