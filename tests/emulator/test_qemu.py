"""A Cortex-M55 in QEMU, driven as a debugger drives it."""

import shutil
import struct
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.errors import BoardError
from tests.firmware.models import residual

pytest.importorskip("ziglang")

from arenite.emulator import qemu
from arenite.firmware.board import Board


@pytest.fixture(scope="module")
def board():
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("there is no QEMU")
    return Board(residual(), "cortex-m55", name="m")


def x(seed=0):
    return np.random.default_rng(seed).integers(-128, 128, (1, 6), np.int8)


def test_it_gives_the_interpreter_s_outputs(board):
    interpreter = ar.Interpreter(residual())
    for seed in range(3):
        np.testing.assert_array_equal(board(x(seed)), interpreter(x(seed)))


def test_instructions_and_cycles_are_counted_exactly(board):
    board(x())
    first = board.count
    board(x())
    assert first == board.count
    assert 100 < first.instructions <= first.cycles < 2 * first.instructions
    shares = [run.count.instructions for run in board.layers(x())]
    assert 0 <= sum(shares) - first.instructions < 100 * len(shares)


@pytest.mark.parametrize("turns", [1, 7, 1000])
def test_a_loop_s_turns_are_counted(board, turns):
    # push {lr}; dls lr, r0; begin: nop; nop; le begin; pop {pc}
    code = [0xB500, 0xF040, 0xE001, 0xBF00, 0xBF00, 0xF00F, 0xC005, 0xBD00]
    machine, at = board._device.machine, qemu.FLASH + (1 << 20)
    machine.write(at, struct.pack("<8H", *code))
    image = replace(
        machine.image,
        segments=(*machine.image.segments, (at, struct.pack("<8H", *code))),
        symbols={**machine.image.symbols, "loop": at},
    )
    whole, machine.image = machine.image, image
    trace, machine._trace = machine._trace, qemu.Trace(image)
    with machine.counting():
        machine.call("loop", turns)
    assert machine.count().instructions == 3 + 3 * turns
    machine.image, machine._trace = whole, trace


def test_the_self_test_passes_there(board):
    assert board.self_test() == "PASS m: 4 inferences, 4 layers each\n"
    assert 8 <= board.stack_bytes < 1024


def test_a_fault_is_an_error_and_the_board_goes_on(board):
    board = Board(residual(), "cortex-m55", name="m")  # of its own: its functions are changed
    y = board(x())
    functions = board._device.machine.image.symbols
    right, functions["m_invoke"] = functions["m_invoke"], functions["memset"]
    with pytest.raises(BoardError, match="m_invoke: the program stopped with a fault"):
        board._device.call("invoke", 0xF0000000, 0, 4)
    functions["m_invoke"] = right
    np.testing.assert_array_equal(board(x()), y)  # it goes on


def test_a_machine_without_qemu_says_where_it_is_found(board, monkeypatch):
    monkeypatch.setattr(qemu, "find_program", lambda _name: None)
    with pytest.raises(BoardError, match="package qemu-system-arm of Debian"):
        qemu.Qemu(board._device.machine.image)
