"""A Cortex-M55 in QEMU, driven as a debugger drives it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import arenite as ar
from arenite.errors import BoardError
from tests.firmware.models import residual

pytest.importorskip("ziglang")

from arenite.firmware import qemu
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


def test_instructions_are_counted_to_within_two(board):
    board(x())
    first = board.count.instructions
    board(x())
    assert first > 100
    assert abs(board.count.instructions - first) <= 2
    shares = [run.count.instructions for run in board.layers(x())]
    assert 0 <= sum(shares) - first < 100 * len(shares)


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
    monkeypatch.setattr(qemu.shutil, "which", lambda _name: None)
    with pytest.raises(BoardError, match="package qemu-system-arm of Debian"):
        qemu.Qemu(board._device.machine.image)
