"""Two instructions give TFLM's outputs for every sum that can be."""

import numpy as np
import pytest

from arenite.firmware.kernels.cortex_m.exact import Exact
from arenite.firmware.kernels.cortex_m.requantize import Requantization
from arenite.firmware.kernels.cortex_m.steps import VALUES, Channels, steps_of
from arenite.firmware.network.kernel import UnsupportedError
from tests.firmware.kernels.cortex_m.sums import CHANNELS, channels


def outputs(sums, one, scale, k, *, whole=False):
    scaled = scale * (sums + one.bias) if whole else scale * sums + one.bias
    assert np.abs(scaled).max() < 1 << 31
    high = one.addend + (scaled * one.multiplier >> 32) - np.where(scaled < 0, one.step, 0)
    assert np.abs(high).max() < 1 << 31
    return np.clip(high >> k, -128, 127)


@pytest.mark.parametrize(("zero_point", "signed"), [(-128, False), (-20, True), (77, True)])
def test_every_reachable_sum_gives_the_reference_s_output(zero_point, signed):
    given = channels(1, zero_point)
    r = Requantization(given)
    assert r.signed is signed
    for c in range(CHANNELS):
        sums = np.arange(given.least[c], given.most[c] + 1)
        wanted = outputs_of(given, c, sums)
        one = r.constants(c, 256)
        np.testing.assert_array_equal(outputs(sums, one, 256, r.k), wanted)
        if signed:
            one = r.constants(c, 256, whole=True)
            np.testing.assert_array_equal(outputs(sums, one, 256, r.k, whole=True), wanted)
        else:
            one = r.constants(c, 1)
            np.testing.assert_array_equal(outputs(sums, one, 1, r.k - 8), wanted)
        one = r.constants(c, 576)
        np.testing.assert_array_equal(outputs(sums, one, 576, r.shift(576)), wanted)


@pytest.mark.parametrize("zero_point", [-128, -20, 127])
def test_the_ends_of_what_sums_reach_bound_outputs_as_well(zero_point):
    # A few outputs each: there is no step behind which the next one would be seen.
    given = channels(6, zero_point, reach=300, shift=-7)
    r = Requantization(given)
    for c in np.flatnonzero(~r.constant):
        sums = np.arange(given.least[c], given.most[c] + 1)
        got = outputs(sums, r.constants(c, 256), 256, r.k)
        np.testing.assert_array_equal(got, outputs_of(given, c, sums))


@pytest.mark.parametrize("shift", [-22, -12, -1, 0, 1, 5])
@pytest.mark.parametrize("scale", [1, 256])
def test_the_formula_itself_takes_any_scale(shift, scale):
    given = channels(7, 31, reach=min(1 << 22, 300 << max(1 - shift, 0)), shift=shift)
    exact, rng = Exact(given), np.random.default_rng(0)
    for c in range(0, CHANNELS, 5):
        more, words = exact.stored(c, scale)
        sums = rng.integers(given.least[c], given.most[c] + 1, 4000)
        assert more == 0
        if not exact.constant[c]:
            got = formula(scale * sums, *words, scale=scale)
            np.testing.assert_array_equal(got, outputs_of(given, c, sums))


def formula(sums, shift, multiplier, half, right, *, scale):
    """What the instructions compute, in 32 bits."""
    first = sums << shift if scale == 1 else sums >> shift
    high = (first * multiplier + (1 << 31)) >> 32
    doubled = 2 * high
    total = doubled + (doubled >> 31) + half
    for one in (sums, first, doubled, total):
        assert np.abs(one).max() < 1 << 31
    return np.clip(total >> right, -128, 127)


def outputs_of(given: Channels, c: int, sums: np.ndarray) -> np.ndarray:
    one = slice(c, c + 1)
    alone = Channels(
        given.multiplier[one], given.shift[one], given.zero_point, given.least[one], given.most[one]
    )
    return alone.outputs(sums[None])[0]


def test_a_channel_that_never_changes_gives_its_constant():
    given = channels(2, -128)
    given = Channels(given.multiplier, given.shift, -128, given.least, np.zeros_like(given.most))
    r = Requantization(given)
    assert r.constant.all()
    one = r.constants(0, 256)
    assert outputs(np.zeros(1, np.int64), one, 256, r.k)[0] == -128


def test_sums_that_leave_32_bits_are_refused():
    given = channels(3, -128, reach=1 << 25, shift=-14)
    with pytest.raises(UnsupportedError, match="sums of channel 0 reach"):
        Requantization(given).constants(0, 256)


def test_ratios_of_scales_that_are_too_large_are_refused():
    r = Requantization(channels(4, -128, reach=300, shift=0))
    assert r.constants(0, 256).multiplier > 0
    with pytest.raises(UnsupportedError, match="ratio of scales of channel 0"):
        r.constants(0, 1)


@pytest.mark.parametrize("zero_point", [-128, 5])
def test_steps_are_where_the_output_steps(zero_point):
    given = channels(5, zero_point, reach=3000)
    steps = steps_of(given)
    for c in range(0, CHANNELS, 10):
        sums = np.arange(given.least[c], given.most[c] + 1)
        got = outputs_of(given, c, sums)
        assert (steps.first[c], steps.last[c]) == (got[0], got[-1])
        for value, at, valid in zip(VALUES, steps.at[c], steps.valid[c], strict=True):
            assert valid == (got[0] < value <= got[-1])
            if valid:
                assert at == sums[got >= value][0]
