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
        # 0.40 of what TFLM's interpreter with CMSIS-NN takes would be 76,900 and 37,400.
        ("okay_nabu", 66_000, 88_000, 5_360),
        ("vad", 36_000, 47_500, 2_320),
        ("hey_jarvis", 61_000, 80_500, 4_336),
        ("alexa", 64_500, 85_000, 4_560),
        ("hey_mycroft", 68_500, 91_000, 6_304),
    ],
)
def test_a_wake_word_costs_at_most(name, instructions, cycles, arena):
    result = trial(shared_wake_word(name), runs=3)
    assert result.differences == ()
    assert result.instructions <= instructions
    assert result.cycles <= cycles
    assert result.arena_bytes <= arena
