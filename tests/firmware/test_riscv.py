"""Exported layers on cores without SIMD: RISC-V, and Thumb-1 with its eight registers."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

import arenite as ar
from arenite.cores import full_name
from arenite.firmware import Board
from tests.firmware.boards import compared_on
from tests.firmware.bulk import exported_of
from tests.firmware.kernels.cortex_m.layers import Layers
from tests.firmware.models import residual

OPERATORS = (
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "FULLY_CONNECTED",
    "MUL",
    "QUANTIZE",
    "SOFTMAX",
    "SVDF",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "MNN_TOP_K",
)


@pytest.mark.parametrize("processor", ["esp32c3", "cortex-m0plus"])
def test_random_layers_give_the_reference_s_results(processor):
    cases = [case for name in OPERATORS for case in exported_of(name, 4, 2)]
    tally = compared_on(processor, cases)
    assert tally.different == []
    assert tally.equal == len(cases) == 2 * len(OPERATORS)


def test_a_network_is_counted_layer_by_layer_and_equals_the_interpreter():
    model, board = residual(), Board(residual(), "esp32c3")
    x = np.random.default_rng(7).integers(-128, 128, (1, 6)).astype(np.int8)
    np.testing.assert_array_equal(board(x), ar.Interpreter(model)(x))
    layers = board.layers(x)
    assert [one.index for one in layers] == list(range(len(model.main.operators)))
    assert all(one.count.instructions > 0 for one in layers)
    assert sum(one.count.instructions for one in layers) <= 1.2 * board.count.instructions
    assert "PASS" in board.self_test()


@pytest.mark.parametrize(("processor", "product", "output"), [("esp32c3", 4, 30), ("m0+", 4, 40)])
def test_a_pointwise_product_takes_few_instructions(processor, product, output):
    """Some filters share an input: two or four of them, as there are registers."""
    net = Layers(3)
    net.conv((8, 8, 32), 32)
    board = Board(net.build(), full_name(processor))
    board(np.zeros((1, 8, 8, 32), np.int8))
    assert board.count.instructions < 8 * 8 * 32 * (32 * product + output)
