"""Signal operators: factors of transforms, frames, bands."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.libraries.cmsis_nn.cost.loops.signal import KERNELS, radices, transform
from tests.libraries.cmsis_nn.cost.loops.views import passes, view


@pytest.mark.parametrize(
    ("length", "factors"), [(1, []), (8, [4, 2]), (256, [4] * 4), (60, [4, 3, 5]), (7, [7])]
)
def test_factors_are_kissfft_s(length, factors):
    assert radices(length) == factors


@given(length=st.integers(1, 2000))
def test_the_factors_product_is_the_length(length):
    assert prod(radices(length)) == length


def test_every_stage_covers_all_values():
    assert transform(16) == {"stage call": 1 + 4, "sorted value": 16, "butterfly of 4": 8}


def test_short_frames_are_padded_before_they_are_transformed():
    found = KERNELS["SignalRfft"](view("SignalRfft", [((480,), "int16")], [((514,), "int16")]))
    assert passes(found, "SignalRfft, int16")["value"] == 512
    assert passes(found, "memset")["16 bytes"] == 32 * 2 // 16


def test_channels_have_their_weights():
    bands = [[0, 0], [0, 0], [3, 4]]
    inputs = [((9,), "uint32"), [1] * 7, [1] * 7, *bands]
    found = passes(
        KERNELS["SignalFilterBank"](view("SignalFilterBank", inputs, [((1,), "uint64")]))
    )
    assert (found["channel"], found["weight"]) == (2, 7)


def test_frames_come_out_of_a_ring():
    shapes = [((2, 30), "int16")], [((2, 3, 16), "int16"), ((), "bool")]
    found = passes(KERNELS["SignalFramer"](view("SignalFramer", *shapes)), "SignalFramer, int16")
    assert (found["row"], found["frame"], found["sample"]) == (2, 6, 60)
