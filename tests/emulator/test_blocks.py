"""Blocks that ran are counted in C as they are in Python."""

import numpy as np
import pytest

from arenite.emulator import blocks
from arenite.emulator.blocks import Counted

pytest.importorskip("arenite.native._engine")

CountedInC = pytest.importorskip("arenite.native.blocks").CountedInC
lib = pytest.importorskip("arenite.native.engine").lib
ffi = pytest.importorskip("arenite.native.engine").ffi


class Both:
    """The same blocks for both counters."""

    def __init__(self, most=64):
        self.beats = [0, 0]
        self.python = Counted(lambda: self.beat(0))
        self.c = CountedInC(most, lambda: self.beat(1))

    def beat(self, which):
        self.beats[which] += 1
        (self.python, self.c)[which].again(100)

    def each(self, function):
        for one in (self.python, self.c):
            function(one)

    def run(self, address, size):
        self.python.run(None, address, size, None)
        lib.ar_count_block(ffi.NULL, address, size, ffi.cast("void *", self.c.user))


def test_random_blocks_are_counted_alike():
    rng, both = np.random.default_rng(0), Both()
    places = [(int(at) * 2, int(size) * 2) for at, size in rng.integers(1, 9, (40, 2))]
    both.each(lambda one: one.begin(100))
    for turn in range(30):
        both.each(lambda one, turn=turn: one.count(counts=turn % 3 > 0))
        for number in rng.integers(0, 40, 50):
            both.run(*places[number])
    np.testing.assert_array_equal(both.python.rows(), both.c.rows())
    assert both.python.rows()[:, 2].sum() == 1000
    assert both.beats[0] == both.beats[1] > 50


def test_a_call_begins_without_a_leap():
    both = Both()
    both.each(lambda one: one.count(counts=True))
    for _ in range(2):
        both.each(lambda one: one.begin(10**6))
        both.run(8, 4)
    np.testing.assert_array_equal(both.c.rows(), [[8, 4, 2, 0]])
    np.testing.assert_array_equal(both.python.rows(), both.c.rows())


def test_more_blocks_than_have_room_are_said():
    both = Both(most=4)
    both.each(lambda one: one.begin(10**6))
    both.each(lambda one: one.count(counts=True))
    for at in range(6):
        both.run(8 * at, 4)
    assert both.c.is_full
    assert len(both.c.rows()) == 4
    assert both.beats[1] == 2


def test_a_core_without_the_engine_counts_in_python(monkeypatch):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    from arenite.firmware.board import Board
    from tests.firmware.models import residual

    def missing(*_):
        raise ImportError

    fast = Board(residual(), name="m")
    fast.invoke()
    monkeypatch.setattr(blocks, "_in_c", missing)
    slow = Board(residual(), name="m")
    slow.invoke()
    assert isinstance(slow._device.machine._counter, Counted)
    assert not isinstance(fast._device.machine._counter, Counted)
    assert slow.count == fast.count
