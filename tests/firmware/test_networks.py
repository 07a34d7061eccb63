"""Random networks as firmware: branches, residuals, odd channels, strides, activations."""

from __future__ import annotations

import pytest

from arenite.errors import UnsupportedOperatorError
from arenite.firmware.trial import trial
from tests.firmware.networks import networks_compared
from tests.ops.differential import CASES
from tests.optimize.networks import KINDS, network

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

PER_KIND = 1 if CASES <= 50 else 12


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_layer_of_random_networks_is_equal_on_the_board(kind):
    done = 0
    for seed in range(100):
        try:
            result = trial(network(seed, kind, "int8"), flash=(1 << 22) if seed % 2 else None)
        except UnsupportedOperatorError:
            continue  # an operator that has no exported kernel
        assert result.differences == (), (kind, seed)
        done += 1
        if done == PER_KIND:
            return
    pytest.fail(f"of 100 networks {done} can be exported")


@pytest.mark.parametrize("on", ["host", "riscv", "m33"])
def test_networks_of_any_activations_and_scales_pass_their_self_tests(on):
    count = 2 if CASES <= 50 else 40
    tallies = list(networks_compared(on, count, seed=7))
    assert [text for tally in tallies for text in tally.different] == []
    assert sum(tally.equal for tally in tallies) == count
