"""What an inference waits for flash on a chip whose caches are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from arenite.boards import find_board
from arenite.boards.board import Cache, FlashWaits
from arenite.firmware import Board
from arenite.firmware.flash_reads import why_unknown
from arenite.firmware.trial import trial
from arenite.report.board import render_trial
from tests.firmware.models import residual, running_maximum
from tests.shared import DIGITS

F407 = find_board("stm32f407vg")
#: All of a small network's flash.
LARGE, SMALL = Cache(1 << 20, 16, 4), Cache(64, 16, 4)


@pytest.fixture(scope="module")
def board():
    made = Board(residual(), "cortex-m4")
    made(np.zeros((1, 6), np.int8))
    return made


def with_caches(code: Cache, data: Cache):
    return replace(F407, waits=FlashWaits(5, code, data, is_shared=False, source="a test"))


def test_what_fits_into_the_caches_is_not_waited_for(board):
    reads = board.flash_reads(with_caches(LARGE, LARGE))
    assert (reads.code, reads.data) == (0, 0)
    assert reads.cycles == (board.count.cycles, board.count.cycles)


def test_smaller_caches_miss_more(board):
    small, chip, large = (
        board.flash_reads(with_caches(one, one)) for one in (SMALL, F407.waits.data, LARGE)
    )
    assert small.code >= chip.code > large.code
    assert small.data >= chip.data > large.data
    assert small.cycles[0] == board.count.cycles + 5 * small.data
    assert small.cycles[1] == small.cycles[0] + 5 * small.code


def test_one_cache_for_both_serves_both(board):
    cache = Cache(1 << 20, 16, 4)
    shared = replace(F407, waits=FlashWaits(5, cache, cache, is_shared=True, source="a test"))
    reads = board.flash_reads(shared)
    assert (reads.code, reads.data) == (0, 0)


def test_nothing_is_known_without_a_board_or_of_one_without_caches(board):
    assert board.flash_reads(None) is None
    assert board.flash_reads(replace(F407, waits=None)) is None


def test_what_is_not_known_of_a_board_is_said():
    nrf = find_board("nrf52840dk")
    assert why_unknown(nrf).startswith(
        "narrower where waits and caches of nRF52840's flash are known"
    )
    waits = FlashWaits(3, None, None, is_shared=False, source="a test")
    assert "narrower where caches of STM32F407VG's" in why_unknown(replace(F407, waits=waits))
    assert why_unknown(F407) == why_unknown(None) == ""


def test_a_report_says_what_flash_adds_or_why_nothing_is_said():
    lines = {
        name: " ".join(" ".join(map(str, render_trial(made, 200))).split())
        for name in ("giga-r1", "stm32f407vg", "nrf5340dk")
        for made in [trial(residual(), find_board(name).processor, 1, on=find_board(name))]
    }
    assert "All code and constants of an inference stay in the chip's caches" in lines["giga-r1"]
    assert "of constants are not in the chip's caches, 5 cycles each" in lines["stm32f407vg"]
    assert "narrower where waits and caches of nRF5340's flash are known" in lines["nrf5340dk"]


def test_figures_are_the_same_every_time(board):
    assert board.flash_reads(F407) == board.flash_reads(F407)


def test_a_network_that_remembers_is_counted_too():
    made = Board(running_maximum(), "cortex-m4")
    made(np.zeros((1, 4), np.int8))
    assert made.flash_reads(F407).clock == 168


def test_digits_on_an_f407_are_a_range_that_begins_at_the_estimate():
    found = trial(DIGITS, "cortex-m4", 1, on=F407)
    assert found.equal
    least, most = found.reads.cycles
    assert found.cycles < least < most
