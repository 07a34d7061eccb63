"""Firmware on an emulated board."""

import numpy as np
import pytest

import arenite as ar
from arenite.errors import BoardError
from tests.firmware.models import residual

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from arenite.firmware.board import Board


@pytest.fixture(scope="module")
def board():
    return Board(residual(), name="m")


def x(seed=0):
    return np.random.default_rng(seed).integers(-128, 128, (1, 6), np.int8)


def test_it_gives_the_interpreter_s_outputs(board):
    interpreter = ar.Interpreter(residual())
    for seed in range(5):
        np.testing.assert_array_equal(board(x(seed)), interpreter(x(seed)))


def test_counts_are_the_same_every_time(board):
    board(x())
    first = board.count
    board(x())
    assert board.count == first
    assert 500 < first.instructions < first.cycles < 5 * first.instructions


def test_every_layer_has_its_result_and_its_share(board):
    y = board(x())
    runs = board.layers(x())
    assert [run.index for run in runs] == [0, 1, 2, 3]
    assert runs[-1].result == y.tobytes()
    assert min(run.count.instructions for run in runs) > 10


def test_the_self_test_passes_on_the_board(board):
    assert board.self_test() == "PASS m: 4 inferences, 4 layers each\n"


def test_stack_and_code_are_known(board):
    board(x())
    assert 8 <= board.stack_bytes < 1024
    assert 100 < board.code_bytes < 4096


@pytest.mark.parametrize(
    ("value", "error"),
    [(np.zeros((1, 6), np.float32), ar.DTypeError), (np.zeros(6, np.int8), ar.ShapeError)],
)
def test_inputs_are_checked(board, value, error):
    with pytest.raises(error, match=r"input 0 \('x'\): expected"):
        board(value)
    with pytest.raises(ValueError, match=r"expected 1 input \[.*\], got 0"):
        board()


@pytest.mark.parametrize(("place", "what"), [(0x10000000, "UNMAPPED"), (0x08000000, "WRITE_PROT")])
def test_a_write_outside_of_memory_is_an_error(board, place, what):
    with pytest.raises(BoardError, match=f"memset: .*{what}.* at 0x[0-9a-f]+, memset"):
        board._device.machine.call("memset", place, 0, 4)


def test_it_has_the_interpreter_s_methods(board):
    interpreter = ar.Interpreter(residual())
    for one in (board, interpreter):
        one.input("x")[...] = x(7)
        one.reset()
        assert one.invoke()
    np.testing.assert_array_equal(board.output(0), interpreter.output("out"))
    batch = np.concatenate([x(seed) for seed in range(4)])
    np.testing.assert_array_equal(board.predict(batch), interpreter.predict(batch))
    with pytest.raises(IndexError, match="expected an output index below 1, got 1"):
        board.output(1)


def test_memory_that_the_firmware_has_nothing_in_is_out_of_bounds(board):
    machine = board._device.machine
    behind = machine.address("arena") + board.export.arena_bytes
    machine.call("memset", behind - 4, 0, 4)
    with pytest.raises(BoardError, match=f"memset touched {behind:#x}, behind what it has"):
        machine.call("memset", behind - 4, 0, 5)


def test_a_board_goes_on_after_a_fault(board):
    y = board(x())
    machine, name = board._device.machine, "m_invoke"
    image = machine.image.symbols
    right, image[name] = image[name], image["memset"]
    board._inputs[0][:] = x()
    machine.write(machine.address("arena"), b"\x55" * board.export.arena_bytes)
    with pytest.raises(BoardError, match="m_invoke"):
        board._device.call("invoke", 0xF0000000, 0, 4)
    image[name] = right
    np.testing.assert_array_equal(board(x()), y)


def test_a_processor_that_cannot_be_emulated_is_refused():
    with pytest.raises(BoardError, match=r"expected one of cortex-m0, .*, got 'host'"):
        Board(residual(), "host")


def test_a_function_that_is_not_there_is_named(board):
    with pytest.raises(BoardError, match="no function 'nothing'"):
        board._device.machine.call("nothing")
