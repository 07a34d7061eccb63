"""Channels that are tied go together, and stay together."""

import numpy as np
import pytest

from arenite.model import Subgraph, Tensor, TensorType
from arenite.optimize._channel_groups import Channels


@pytest.fixture
def channels() -> Channels:
    """Tensors 0, 1 and 2 with three channels each, and one of floats."""
    tensors = [Tensor(name, TensorType.INT8, (1, 3)) for name in "abc"]
    floats = Tensor("d", TensorType.FLOAT32, (1, 3))
    return Channels(Subgraph((*tensors, floats), (), (), ()))


def test_channels_are_on_their_own_at_first(channels):
    groups = channels.groups()
    assert len(groups.stays) == 9
    assert not groups.stays.any()


def test_floats_have_no_channels(channels):
    assert 3 not in channels
    channels.keep([3], "floats")
    assert not channels.groups().stays.any()


def test_ties_reach_over_several_tensors(channels):
    channels.tie(channels.numbers(0), channels.numbers(1))
    channels.tie(channels.numbers(1)[:2], channels.numbers(2)[1:])
    of = channels.groups().of
    np.testing.assert_array_equal(of[0], of[1])
    np.testing.assert_array_equal(of[1][:2], of[2][1:])
    assert of[2][0] not in of[0]


def test_what_stays_keeps_all_that_is_tied_to_it(channels):
    channels.tie(channels.numbers(0), channels.numbers(1))
    channels.keep_channels(channels.numbers(1)[2:], "because")
    groups = channels.groups()
    assert groups.stays[groups.of[0]].tolist() == [False, False, True]
    assert groups.reasons == {int(groups.of[0][2]): "because"}


def test_the_first_reason_counts(channels):
    channels.keep([0], "first")
    channels.keep([0], "second")
    assert set(channels.groups().reasons.values()) == {"first"}
