"""Plans that let a byte be written over while it is still to be read are found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arenite.errors import PlanError
from arenite.firmware import export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.kernel import Scratch
from arenite.firmware.network.layers import network_of
from arenite.firmware.plan.layout import layout_of
from arenite.firmware.plan.memory_check import replay
from arenite.firmware.streaming.casting import Parts, group_of
from tests.firmware.models import chain, residual
from tests.firmware.networks import wild
from tests.firmware.streaming.models import tower


def planned(model):
    network = network_of(model)
    return network, layout_of(network, [portable_work(layer) for layer in network.layers])


@pytest.mark.parametrize("model", [chain(), residual(), tower()])
def test_a_plan_of_the_planner_passes(model):
    replay(*planned(model))


def test_an_input_that_is_read_again_is_not_written_over():
    network, layout = planned(residual())
    first, second = network.layers[0].output, network.layers[1].output
    tensors = {**layout.tensors, second.index: layout.tensors[first.index]}
    with pytest.raises(PlanError, match="over input 0, which it reads"):
        replay(network, replace(layout, tensors=tensors))


def test_scratch_memory_is_not_in_what_its_layer_reads():
    network, layout = planned(chain())
    first, second, third = layout.works
    works = first, replace(second, arguments=(*second.arguments, Scratch(4))), third
    place = layout.tensors[network.layers[1].input(0).index]
    scratch = (layout.scratch[0], (place,), layout.scratch[2])
    with pytest.raises(PlanError, match="layer 1, FULLY_CONNECTED, has scratch memory"):
        replay(network, replace(layout, works=works, scratch=scratch))


def grouped(model=None):
    network, layout = planned(model or tower(residual=True))
    group = group_of(network, 0, [1, 1, 1, 1], Parts(portable_work))
    return network, layout.works, group


def test_a_group_of_the_planner_passes():
    network, works, group = grouped()
    replay(network, layout_of(network, works, groups=[group]), [group])


def test_rows_of_padding_around_a_part_of_another_tensor_are_nobody_elses(tmp_path):
    """Four maps in a row, one of them padded where another layer goes on with its rows."""
    made = export(wild(40), tmp_path / "m", target="cortex-m4", least="ram", emulate=False)
    assert any(layer.rows for layer in made.layers)


def test_a_ring_of_a_row_less_is_found():
    network, works, group = grouped()
    layout = layout_of(network, works, groups=[group])
    for store, rows in enumerate(group.schedule.rows):
        if rows < 2:
            continue
        fewer = tuple(n - (i == store) for i, n in enumerate(group.schedule.rows))
        wrong = replace(group, schedule=replace(group.schedule, rows=fewer))
        wrong.__dict__["places"] = group.places
        with pytest.raises(PlanError):
            replay(network, layout, [wrong])


def test_rings_that_share_bytes_are_found():
    network, works, group = grouped()
    layout = layout_of(network, works, groups=[group])
    rings = [key for key in group.places if key[0] == "ring"]
    wrong = replace(group)
    wrong.__dict__["places"] = {**group.places, rings[0]: group.places[rings[1]]}
    with pytest.raises(PlanError):
        replay(network, layout, [wrong])


def test_a_result_over_rows_that_are_still_to_be_read_is_found():
    network, layout = planned(tower())
    group = group_of(network, 0, [1], Parts(portable_work))
    layout = layout_of(network, layout.works, groups=[group])
    x, y = network.inputs[0].index, network.layers[0].output.index
    assert layout.tensors[y] <= layout.tensors[x] < layout.tensors[y] + 16 * 8 * 8
    ahead = {**layout.tensors, y: layout.tensors[x] + 8 * 8}
    with pytest.raises(PlanError, match=f"reads tensor {x}|over rows that it reads"):
        replay(network, replace(layout, tensors=ahead, size=4000), [group])
