"""MLPerf Tiny's models as firmware: the reference's bits, for a known number of instructions."""

import os

import pytest

from arenite.firmware.trial import trial
from tests.shared import shared_model

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

#: Cases that `make test-long` runs.
LONG = pytest.mark.skipif("ARENITE_CASES" not in os.environ, reason="a longer run: make test-long")


@pytest.mark.parametrize(
    ("name", "instructions", "cycles", "arena", "code"),
    [
        ("ad_int8", 260_000, 380_000, 2_700, 4_400),
        ("kws_int8", 3_000_000, 3_600_000, 11_000, 6_000),
        pytest.param("ic_int8", 12_600_000, 15_200_000, 53_000, 14_000, marks=LONG),
        pytest.param("vww_int8", 5_300_000, 6_300_000, 50_000, 30_720, marks=LONG),
    ],
)
def test_a_model_costs_at_most(name, instructions, cycles, arena, code):
    result = trial(shared_model(name), runs=3)
    assert result.differences == ()
    assert result.instructions <= instructions
    assert result.cycles <= cycles
    assert result.arena_bytes <= arena
    assert result.code_bytes <= code


@LONG
@pytest.mark.parametrize(
    ("flash", "instructions", "cycles"),
    [(230_000, 8_300_000, 10_200_000), (280_000, 7_200_000, 8_900_000)],
)
def test_a_model_with_room_in_flash_costs_less(flash, instructions, cycles):
    result = trial(shared_model("ic_int8"), runs=3, flash=flash)
    assert result.differences == ()
    assert result.instructions <= instructions
    assert result.cycles <= cycles
