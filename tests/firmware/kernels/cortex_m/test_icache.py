"""Loops of a small cache of instructions: shorter, and of the same bits."""

import numpy as np
import pytest

import arenite as ar
from arenite.boards import find_board
from arenite.firmware import Board
from arenite.firmware.kernels.cortex_m.gemm import Products
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.ops.tflite.conv_2d import Conv2DOptions

F407 = find_board("stm32f407vg")


def pointwise(depth: int, filters: int) -> ar.Model:
    """A 1x1 convolution of 8 x 8 pixels, so often that its loop is unrolled."""
    rng = np.random.default_rng(5)
    b = ar.ModelBuilder()
    x = b.input("x", (1, 8, 8, depth), "int8", scale=0.05, zero_point=-3)
    weights = rng.integers(-127, 128, (filters, 1, 1, depth), dtype=np.int8)
    w = b.constant("w", weights, scale=rng.uniform(0.005, 0.01, filters).tolist())
    bias = rng.integers(-900, 900, filters).astype(np.int32)
    y = b.tensor("y", (1, 8, 8, filters), "int8", scale=0.4, zero_point=5)
    b.operator("CONV_2D", [x, w, b.constant("b", bias)], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.output(y)
    return b.build()


@pytest.mark.parametrize("icache", [None, 4096, 1024, 512, 1])
def test_a_turn_of_the_loop_has_as_many_steps_as_fit(icache):
    finish = Finish(0)
    unrolled = Products(32, 128, 64, finish, 64, icache=icache).unrolled
    assert unrolled == {None: 16, 4096: 16, 1024: 8, 512: 4, 1: 1}[icache]


@pytest.mark.parametrize("depth", [64, 40, 20])
def test_bits_are_the_same(depth):
    pytest.importorskip("unicorn")
    model, rng = pointwise(depth, 24), np.random.default_rng(1)
    reference, board = ar.Interpreter(model), Board(model, icache=1024)
    for _ in range(3):
        x = rng.integers(-128, 128, (1, 8, 8, depth)).astype(np.int8)
        assert np.array_equal(board(x), reference(x))


def test_a_loop_that_fits_is_read_once():
    pytest.importorskip("unicorn")
    model = pointwise(64, 64)
    code = []
    for icache in (None, F407.waits.code.size):
        board = Board(model, icache=icache)
        board(np.zeros((1, 8, 8, 64), np.int8))
        code.append(board.flash_reads(F407).code)
    assert code[1] < code[0] / 50
