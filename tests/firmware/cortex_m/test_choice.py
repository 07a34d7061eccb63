"""Which layers are worth more flash."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.firmware import export
from arenite.firmware.cortex_m.choice import Offer, best
from arenite.firmware.work import Work
from tests.firmware.cortex_m.layers import Layers

SIZES = st.tuples(st.integers(1, 1000), st.integers(1, 20).map(lambda n: 64 * n))


@given(st.lists(SIZES, max_size=7), st.integers(0, 40).map(lambda n: 64 * n))
def test_no_other_set_that_fits_saves_more(offers, room):
    given_ = [Offer(i, Work(None), *offer) for i, offer in enumerate(offers)]
    chosen = best(given_, room)
    assert sum(offer.bytes for offer in chosen) <= room
    sets = (some for n in range(len(given_) + 1) for some in combinations(given_, n))
    fitting = (some for some in sets if sum(offer.bytes for offer in some) <= room)
    most = max(sum(offer.instructions for offer in some) for some in fitting)
    assert sum(offer.instructions for offer in chosen) == most


def test_more_flash_makes_more_layers_faster(tmp_path):
    layers = Layers(10)
    layers.conv((8, 8, 16), 16, (3, 3))
    layers.conv((4, 4, 16), 16, (3, 3))
    model = layers.build()
    plain = export(model, tmp_path / "plain")
    sizes = [one.constant_bytes for one in plain.layers]
    one_more = plain.constant_bytes + 3 * sizes[0]
    for flash, fast in ((plain.constant_bytes, 0), (one_more, 1), (8 * plain.constant_bytes, 2)):
        result = export(model, tmp_path / str(fast), flash=flash)
        assert sum(one.function.startswith("winograd") for one in result.layers) == fast
        assert result.constant_bytes <= flash


def test_too_little_flash_is_refused_with_the_least_that_is_enough(tmp_path):
    layers = Layers(11)
    layers.conv((4, 4, 8), 8)
    with pytest.raises(ValueError, match=r"flash: expected at least \d+ bytes, got 10"):
        export(layers.build(), tmp_path / "m", flash=10)
