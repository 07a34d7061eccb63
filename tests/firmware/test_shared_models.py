"""MLPerf Tiny's models as firmware: the reference's bits, for a known number of instructions."""

from __future__ import annotations

import pytest

from arenite.firmware.trial import trial
from tests.shared import shared_model

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "instructions", "cycles", "arena"),
    [
        ("ad_int8", 340_000, 410_000, 2_700),
        ("kws_int8", 3_000_000, 3_600_000, 11_000),
        pytest.param("ic_int8", 12_600_000, 15_200_000, 53_000, marks=SLOW),
        pytest.param("vww_int8", 8_700_000, 10_600_000, 70_000, marks=SLOW),
    ],
)
def test_a_model_costs_at_most(name, instructions, cycles, arena):
    result = trial(shared_model(name), runs=3)
    assert result.differences == ()
    assert result.instructions <= instructions
    assert result.cycles <= cycles
    assert result.arena_bytes <= arena
