"""Networks that remember rows: the reference's bits over many inferences, in less than before."""

from __future__ import annotations

import pytest

from arenite.firmware.trial import trial
from tests.firmware.bulk import compared
from tests.firmware.streams import on_board, streamed
from tests.ops.differential import CASES
from tests.shared import shared_wake_word

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

LONG = CASES > 50


def test_random_streams_are_equal_here_under_sanitizers(tmp_path):
    count = 120 if LONG else 12
    tally = compared(streamed(count, 4000), tmp_path)
    assert tally.different == []
    assert tally.refused == {}
    assert tally.equal == count


@pytest.mark.parametrize("processor", ["cortex-m4", "cortex-m0plus"])
def test_random_streams_are_equal_on_a_board(processor):
    for case in streamed(12 if LONG else 2, 5000):
        assert on_board(case, processor).different == []


@pytest.mark.parametrize(
    ("name", "instructions", "cycles", "arena"),
    [
        # TFLM's interpreter with CMSIS-NN takes 201, 96, 165, 175 and 181 thousand instructions.
        ("okay_nabu", 41_500, 56_000, 4_928),
        ("vad", 22_500, 29_500, 1_792),
        ("hey_jarvis", 39_500, 52_500, 3_856),
        ("alexa", 40_500, 53_500, 4_096),
        ("hey_mycroft", 45_000, 60_000, 6_016),
    ],
)
def test_a_wake_word_costs_at_most(name, instructions, cycles, arena):
    result = trial(shared_wake_word(name), runs=3)
    assert result.differences == ()
    assert result.instructions <= instructions
    assert result.cycles <= cycles
    assert result.arena_bytes <= arena
