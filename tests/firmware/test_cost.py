"""What a firmware costs, without running it."""

import pytest

from arenite.emulator.machine import RAM
from arenite.firmware import cost as room
from arenite.firmware import export
from arenite.firmware.board import Board
from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.network.kernel import Constant
from arenite.firmware.plan.program import program_of
from tests.firmware.kernels.cortex_m.layers import Layers
from tests.firmware.models import residual
from tests.runtime.wake_word import wake_word


@pytest.fixture(scope="module")
def model():
    layers = Layers(5)
    layers.conv((4, 4, 8), 8)
    layers.dense(24, 8)
    layers.add(16)
    layers.average((4, 4, 8))
    return layers.build()


def test_counts_of_functions_in_assembly_are_the_emulator_s(model):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    machine = Board(model, name="m", optimize=False)._device.machine
    program = program_of(model, cortex_m_work, "m")
    arena = machine.address("arena")
    named = {one.values.tobytes(): name for name, one in program.constants.items()}
    compared = 0
    for number, work in enumerate(program.works):
        counted = room.count_layer(program, number)
        if work.routine is None or counted is None:
            continue
        places = [
            machine.address(named[argument.values.tobytes()])
            if isinstance(argument, Constant)
            else arena + at - RAM
            for argument, at in zip(work.arguments, room._addresses(program, number), strict=True)
        ]
        before = machine.count()
        with machine.counting():
            machine.call(f"m_{program.routines[work.routine]}", *places)
        after = machine.count()
        assert counted.instructions == after.instructions - before.instructions
        # An emulator ends a block at the end of a page, and forgets that a load was the last.
        assert counted.cycles == pytest.approx(after.cycles - before.cycles, rel=0.01)
        compared += 1
    assert compared == 4


def test_layers_in_c_come_from_an_emulated_core():
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    found = room.firmware_cost(residual(), "cortex-m3", 50.0)
    assert [layer.origin for layer in found.layers] == ["emulated"] * 4
    assert found.instructions == pytest.approx(
        sum(layer.instructions for layer in found.layers), rel=0.2
    )


def test_without_an_emulator_they_are_not_known(model, monkeypatch):
    monkeypatch.setattr(room, "can_emulate", lambda processor: False)
    found = room.firmware_cost(residual(), "cortex-m3")
    assert (found.instructions, found.cycles) == (None, None)
    counted = room.firmware_cost(model)
    assert [layer.origin for layer in counted.layers] == ["counted"] * 4
    assert counted.cycles == sum(layer.cycles for layer in counted.layers)


def test_cycles_that_nobody_estimates_are_not_known(monkeypatch):
    counts = tuple(room.Count(100, 0) for _ in range(4))
    found = room.Measured(counts, counts, room.Count(400, 0), room.Count(400, 0), 0)
    monkeypatch.setattr(room, "_emulated", lambda *_: (found, None))
    found = room.firmware_cost(residual(), "cortex-m55")
    assert [layer.function for layer in found.layers[:2]] == ["vector_fully_connected_1"] * 2
    assert [layer.cycles for layer in found.layers] == [None] * 4
    assert (found.instructions, found.cycles) == (400, None)


def test_a_first_inference_and_the_next_ones_have_columns_that_each_add_up():
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    found = room.firmware_cost(wake_word(), "cortex-m4")
    once = found.layers[0]
    assert once.name == "CALL_ONCE"
    assert once.first_instructions > 10 * once.instructions > 0
    assert found.first_instructions > found.instructions
    pairs = (
        ("first_instructions", found.rest[0]),
        ("first_cycles", found.rest[1]),
        ("instructions", found.rest[2]),
        ("cycles", found.rest[3]),
    )
    for key, rest in pairs:
        assert sum(getattr(one, key) for one in found.layers) + rest == getattr(found, key)
        assert abs(rest) < 60 * len(found.layers)
    assert not found.is_steady
    assert room.firmware_cost(residual(), "cortex-m4").is_steady


def test_columns_of_a_readme_add_up(tmp_path):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    made = export(wake_word(), tmp_path / "m", emulate=True)
    rows = (tmp_path / "m" / "README.md").read_text("utf-8").split("## Layers")[1].splitlines()
    cells = [row.split("|")[-5:-1] for row in rows if row.startswith("|")][2:]
    numbers = [[int(cell.replace(",", "")) for cell in row] for row in cells]
    *parts, totals = numbers
    assert [sum(column) for column in zip(*parts, strict=True)] == totals
    assert totals[2] == made.figures.instructions < totals[0] == made.figures.first.instructions


def test_cycles_of_another_pipeline_are_the_emulators_alone(model, monkeypatch):
    """Those of the text are a Cortex-M4's; instructions are the same."""
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    cost = room.firmware_cost(model, "cortex-m33")
    assert {layer.origin for layer in cost.layers if layer.function} == {"emulated"}
    assert cost.cycles == pytest.approx(sum(layer.cycles for layer in cost.layers), rel=0.2)
    monkeypatch.setattr(room, "can_emulate", lambda processor: False)
    alone = room.firmware_cost(model, "cortex-m33")
    counted = [layer for layer in alone.layers if layer.function and layer.origin == "counted"]
    assert counted
    assert {layer.cycles for layer in counted} == {None}
