"""Exported layers on a core that is no Arm."""

from __future__ import annotations

import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from tests.firmware.boards import RISCV, compared_on
from tests.firmware.bulk import exported_of

OPERATORS = (
    "CONV_2D",
    "MUL",
    "QUANTIZE",
    "SOFTMAX",
    "SVDF",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "MNN_TOP_K",
)


def test_random_layers_give_the_reference_s_results_on_risc_v():
    cases = [case for name in OPERATORS for case in exported_of(name, 4, 2)]
    tally = compared_on(RISCV, cases)
    assert tally.different == []
    assert tally.equal == len(cases) == 2 * len(OPERATORS)
