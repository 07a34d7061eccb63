"""Products of 32 bits give TFLM's outputs for every sum that can be."""

import numpy as np
import pytest

from arenite.firmware.kernels.cortex_m0.requantize import SHIFT, requantized
from arenite.firmware.network.kernel import UnsupportedError
from tests.firmware.kernels.cortex_m.sums import CHANNELS, channels


def outputs(sums, one, bits):
    """As the instructions compute it, with nothing that leaves 32 bits."""
    r = np.maximum(one.span - np.maximum(sums - one.base, 0), 0)
    low = np.zeros_like(r)
    for part in one.lows:
        low += r * part
        assert low.max() < 1 << 32
        low >>= bits
    high = r * one.high + low + one.addend - np.where(r > one.top, one.step, 0)
    assert max(np.abs(r * one.high).max(), np.abs(high).max()) < 1 << 31
    return high >> SHIFT


@pytest.mark.parametrize("limits", [(-128, 127), (-20, 60)])
@pytest.mark.parametrize("zero_point", [-128, -20, 77])
@pytest.mark.parametrize(("reach", "shift", "parts"), [(40_000, -6, 1), (1 << 19, -11, 2)])
def test_every_sum_gives_the_reference_s_output(zero_point, limits, reach, shift, parts):
    given = channels(1, zero_point, reach, shift)
    how = requantized(given, *limits)
    if limits == (-128, 127):
        assert (how.signed, how.parts) == (zero_point > -128, parts)
    for c in range(0, CHANNELS, parts * parts * 8 - 7):
        sums = np.arange(given.least[c], given.most[c] + 1)
        own = np.array([c])
        one = given.__class__(
            *(getattr(given, name)[own] for name in ("multiplier", "shift")),
            given.zero_point,
            given.least[own],
            given.most[own],
        )
        wanted = np.clip(one.outputs(sums[None])[0], *limits)
        np.testing.assert_array_equal(outputs(sums, how.channels[c], how.bits), wanted)


def test_a_channel_that_never_changes_needs_no_sum():
    given = channels(2, 0, reach=2, shift=-20)
    how = requantized(given, -128, 127)
    assert {one.addend for one in how.channels} == {0}
    assert {one.span for one in how.channels} == {0}


def test_ratios_that_leave_nothing_to_shift_are_refused():
    with pytest.raises(UnsupportedError, match=r"no multiplier|is shifted by"):
        requantized(channels(3, 5, shift=1), -128, 127)
    with pytest.raises(UnsupportedError, match=r"outputs change between \d+ sums"):
        requantized(channels(4, 5, reach=1 << 29, shift=-16), -128, 127)
