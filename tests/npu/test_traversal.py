"""The order in which weights are fed: by hand, as a permutation, and as Vela feeds them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.npu.stream import StreamError
from arenite.npu.traversal import Traversal, arrange
from arenite.npu.weights import decode
from tests.ops.differential import CASES


def order(shape: tuple[int, int, int, int], **changed: object) -> Traversal:
    values = {
        **{"block": 8, "unit": 8, "is_depthwise": False, "is_part_first": False},
        **{"input_bits": 8, "dilation": (1, 1)},
        **changed,
    }
    return Traversal(shape, **values)  # type: ignore[arg-type]


def test_depth_first_takes_eight_channels_of_each_of_eight_filters() -> None:
    places = order((2, 1, 1, 9)).places().reshape(4, 8, 8)
    assert places[0, 0].tolist() == list(range(8))
    assert places[0, 1].tolist() == list(range(9, 17))
    assert (places[0, 2:] == -1).all()  # there are two filters
    assert places[1, 0].tolist() == [8] + [-1] * 7
    assert (places[2:] == -1).all()  # a block has 32 channels


def test_part_first_goes_through_the_kernel_before_other_channels() -> None:
    places = order((1, 1, 3, 8), is_part_first=True).places().reshape(4, 8, 8)
    assert places[:, 0, 0].tolist() == [0, 8, 16, -1]  # elements come in fours


def test_depthwise_has_one_channel() -> None:
    places = order((3, 1, 2, 1), is_depthwise=True).places().reshape(4, 8)
    assert places[:, :3].tolist() == [[0, 2, 4], [1, 3, 5], [-1, -1, -1], [-1, -1, -1]]


def test_large_kernels_are_fed_in_parts_of_8_by_8() -> None:
    places = order((1, 1, 9, 8)).places().reshape(-1, 8, 8)[:, 0, 0]
    assert places[places >= 0].tolist() == [8 * x for x in range(9)]
    dilated = order((1, 1, 9, 8), dilation=(1, 2)).places().reshape(-1, 8, 8)[:, 0, 0]
    assert dilated[dilated >= 0].tolist() == [8 * x for x in range(9)]


def test_a_layer_with_too_many_weights_is_refused() -> None:
    with pytest.raises(StreamError, match="expected a layer of at most 16777216 weights"):
        order((65536, 64, 64, 65536)).places()


def test_padding_has_to_be_0() -> None:
    places = np.array([0, -1])
    assert arrange(np.array([5, 0]), places, (1, 1, 1, 1)).tolist() == [[[[5]]]]
    with pytest.raises(StreamError, match="weights of 0 beyond the filters"):
        arrange(np.array([5, 1]), places, (1, 1, 1, 1))


@st.composite
def traversals(draw: st.DrawFn) -> Traversal:
    is_depthwise = draw(st.booleans())
    shape = (
        draw(st.integers(1, 40)),
        draw(st.integers(1, 10)),
        draw(st.integers(1, 10)),
        1 if is_depthwise else draw(st.integers(1, 40)),
    )
    return Traversal(
        shape,
        block=draw(st.sampled_from([8, 16, 32, 128])),
        unit=draw(st.sampled_from([4, 8])),
        is_depthwise=is_depthwise,
        is_part_first=not is_depthwise and draw(st.booleans()),
        input_bits=draw(st.sampled_from([8, 16])),
        dilation=draw(st.sampled_from([(1, 1), (1, 2), (2, 2)])),
    )


@settings(max_examples=3 * CASES)
@given(traversals())
def test_every_weight_is_fed_once(one: Traversal) -> None:
    places = one.places()
    assert np.array_equal(np.sort(places[places >= 0]), np.arange(np.prod(one.shape)))


@settings(max_examples=2 * CASES)
@given(traversals())
def test_what_vela_feeds_comes_back(one: Traversal) -> None:
    codec = pytest.importorskip("ethosu.mlw_codec", reason="Vela is not installed")
    rng = np.random.default_rng(1)
    weights = rng.integers(-100, 100, one.shape).astype(np.int16)
    parts = (8 // step for step in one.dilation)
    stream, _ = codec.reorder_encode(
        *(8, one.unit, weights, one.block, one.is_depthwise, one.is_part_first),
        *(one.input_bits, *parts),
    )
    places = one.places()
    assert np.array_equal(arrange(decode(bytes(stream), len(places)), places, one.shape), weights)
