"""SignalFilterBank equals TFLM on random banks, constant and fed."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from tests.ops.differential import Array, equals_tflm, run_arenite
from tests.ops.signal.models import signal_model


def bank(bins: int, weights: Array, unweights: Array, bands: Array, channels: int) -> Model:
    """A filter bank; ``bands`` has three rows: first bin, first weight, number of bins."""
    constants = [array.astype(np.int16) for array in (weights, unweights, *bands)]
    return signal_model(
        "SignalFilterBank",
        {"num_channels": channels},
        [((bins,), "uint32"), *constants],
        [((channels,), "uint64")],
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bins, factors, channels = (draw(st.integers(1, 40)) for _ in range(3))
    count = channels + 1 + draw(st.integers(0, 2))
    widths = rng.integers(0, min(bins, factors) + 1, count)
    bands = [rng.integers(0, bins - widths + 1), rng.integers(0, factors - widths + 1), widths]
    low = draw(st.sampled_from([0, -32768]))
    weights, unweights = rng.integers(low, 32768, (2, factors))
    return bank(bins, weights, unweights, np.array(bands), channels)


test_equals_tflm = equals_tflm(models(), invokes=3)


def test_a_bin_counts_in_two_channels() -> None:
    bands = np.array([[0, 2], [0, 2], [2, 2]])
    model = bank(4, np.array([9, 9, 1, 2]), np.array([10, 20, 9, 9]), bands, 1)
    got = run_arenite(model, [[np.array([1, 2, 3, 4], np.uint32)]])
    assert got[0][0].tolist() == [1 * 10 + 2 * 20 + 3 * 1 + 4 * 2]


@pytest.mark.parametrize("band", [(3, 0, 2), (0, 3, 2), (-1, 0, 1), (0, -1, 1)])
def test_refuses_bands_outside(band: tuple[int, int, int]) -> None:
    bands = np.array([[0, 0], [0, 0], [1, 1]])
    bands[:, 1] = band
    model = bank(4, np.ones(4), np.ones(4), bands, 1)
    with pytest.raises(ConstraintError, match="channel 1: expected a band"):
        run_arenite(model, [[np.zeros(4, np.uint32)]])


def test_refuses_too_few_bands() -> None:
    with pytest.raises(ConstraintError, match="at least num_channels"):
        run_arenite(bank(4, np.ones(4), np.ones(4), np.zeros((3, 2)), 2), [])
