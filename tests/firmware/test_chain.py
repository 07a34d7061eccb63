"""What ``optimize`` writes can be exported, and gives the original's outputs as firmware."""

from __future__ import annotations

import pytest

from tests.firmware.chain import EXPORTED, OPTIMIZED, boards, networks, on_board, operators
from tests.firmware.streaming.models import tower
from tests.runtime.wake_word import wake_word


def test_networks_are_equal_with_every_option_in_turn():
    (tally,) = networks(max(len(EXPORTED), len(OPTIMIZED)))
    assert tally.different == []
    assert tally.equal == len(EXPORTED)


def test_models_of_single_operators_are_equal():
    tallies = list(operators(6))
    assert [text for one in tallies for text in one.different] == []
    assert sum(one.equal for one in tallies) >= 5


@pytest.mark.parametrize(("made", "number"), [(tower, 2), (wake_word, 1)])
def test_models_go_all_the_way_to_an_emulated_core(made, number):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    tally = on_board(made(), number)
    assert (tally.different, tally.refused, tally.equal) == ([], {}, 1)


def test_networks_go_all_the_way_to_an_emulated_core():
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    for tally in boards(2, first=1):
        assert (tally.different, tally.equal) == ([], 1)
