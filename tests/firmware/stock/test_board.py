"""TFLM's own kernels on the emulated board, where ``ARENITE_TFLM`` says where its sources lie.

The first run compiles them, and zig's C library, which takes minutes.
"""

import os

import pytest

from arenite import Interpreter

pytest.importorskip("arenite.native._engine")

from arenite.firmware.stock.board import stock_trial
from tests.shared import DIGITS

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

TREE = os.environ.get("ARENITE_TFLM", "")
pytestmark = pytest.mark.skipif(not TREE, reason="ARENITE_TFLM names no folder of TFLM's sources")


@pytest.fixture(scope="module")
def digits():
    return stock_trial(DIGITS, TREE, runs=6)


def test_outputs_are_those_of_the_interpreter_for_that_target(digits):
    assert digits.differences == ()


def test_the_arena_is_that_of_the_target(digits):
    assert digits.arena_bytes == Interpreter(DIGITS, target="cortex-m4").arena.used


def test_every_layer_has_its_share(digits):
    assert [layer.name for layer in digits.layers][:2] == ["CONV_2D", "DEPTHWISE_CONV_2D"]
    shares = sum(layer.instructions for layer in digits.layers)
    assert 0.99 * digits.instructions < shares < digits.instructions
