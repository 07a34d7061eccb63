"""The order in which U85 takes weights: by hand, and as a permutation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.npu.stream import StreamError
from arenite.npu.u85 import traversal
from arenite.npu.u85.traversal import Traversal
from tests.ops.differential import CASES


def order(shape: tuple[int, int, int, int], **changed: object) -> Traversal:
    values = {
        **{"block": 16, "unit": 8, "way": "depth", "input_bits": 8, "stride": (1, 1)},
        **{"dilation": (1, 1), "streams": 1, "macs": 256},
        **changed,
    }
    return Traversal(shape, **values)  # type: ignore[arg-type]


def test_four_filters_take_eight_channels_each() -> None:
    places = order((2, 1, 1, 9)).places(0).reshape(8, 2, 4, 8)
    assert places[0, 0, 0].tolist() == list(range(8))
    assert places[0, 0, 1].tolist() == list(range(9, 17))
    assert places[1, 0, :, 0].tolist() == [8, 17, -1, -1]
    assert (places[2:] == -1).all()  # a block has 64 channels


def test_blocks_of_channels_go_to_and_fro() -> None:
    places = order((32, 1, 1, 128)).places(0).reshape(2, 2, -1)  # blocks of filters, of channels
    firsts = [[int(part[0]) % 128 for part in block] for block in places]
    assert firsts == [[0, 64], [64, 0]]


def test_rows_of_the_kernel_go_to_and_fro() -> None:
    places = order((1, 2, 3, 1), way="depthwise").places(0).reshape(10, 8)
    assert places[:, 0].tolist() == [0, 1, 2, 5, 4, 3, -1, -1, -1, -1]


def test_a_stride_takes_the_kernel_apart() -> None:
    places = order((1, 1, 5, 1), way="depthwise", stride=(1, 2)).places(0).reshape(10, 8)
    assert places[:5, 0].tolist() == [0, 2, 4, 1, 3]


def test_columns_of_parts_go_down_first() -> None:
    places = order((1, 9, 9, 1)).places(0).reshape(81, -1)[:, 0]
    assert places[64].item() == 8 * 9  # below the first part, not beside it


def test_streams_share_filters_by_fours() -> None:
    one = order((16, 1, 1, 8), streams=2, macs=512, unit=16)
    found = [one.places(stream).reshape(8, 2, 4, 8)[0, :, :, 0] // 8 for stream in range(2)]
    assert found[0].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert found[1].tolist() == [[4, 5, 6, 7], [12, 13, 14, 15]]


def test_one_stream_of_all_takes_turns() -> None:
    one = order((16, 1, 1, 64), streams=2, macs=512, unit=16)
    turns = one.merged_places().reshape(-1, 8 * 64)
    assert np.array_equal(turns[0], one.places(0)[: 8 * 64])
    assert np.array_equal(turns[1], one.places(1)[: 8 * 64])


def test_wide_depthwise_layers_leave_elements_out() -> None:
    assert len(order((8, 3, 3, 1), way="depthwise").places(0)) == 10 * 8
    wide = order((8, 3, 3, 1), way="depthwise", input_bits=16)
    assert len(wide.places(0)) == 12 * 8


@pytest.mark.parametrize(
    ("changed", "depth"),
    [
        ({}, 64),
        ({"unit": 16}, 32),
        ({"unit": 16, "macs": 512}, 64),
        ({"is_sparse": True}, 128),
        ({"is_sparse": True, "input_bits": 16}, 64),
        ({"way": "part"}, 16),
    ],
)
def test_blocks_have_a_depth(changed: dict[str, object], depth: int) -> None:
    assert order((1, 1, 1, 1), **changed).depth == depth


def test_a_layer_with_too_many_weights_is_refused() -> None:
    with pytest.raises(StreamError, match="expected a layer of at most 16777216 weights"):
        order((65536, 64, 64, 65536)).places(0)


@st.composite
def traversals(draw: st.DrawFn) -> Traversal:
    way = draw(st.sampled_from(["depthwise", "part", "depth"]))
    size = st.integers(1, 40)
    streams, macs, unit = draw(st.sampled_from([(1, 128, 8), (1, 256, 16), (2, 512, 16)]))
    depth = 1 if way == "depthwise" else draw(size)
    return order(
        (draw(size), draw(st.integers(1, 10)), draw(st.integers(1, 10)), depth),
        block=draw(st.sampled_from([16, 32, 128])),
        unit=unit,
        way=way,
        input_bits=draw(st.sampled_from([8, 16])),
        stride=(draw(st.integers(1, 3)), draw(st.integers(1, 3))),
        dilation=draw(st.sampled_from([(1, 1), (1, 2), (2, 2)])),
        streams=streams,
        macs=macs,
        is_sparse=way != "depthwise" and draw(st.booleans()),
    )


@settings(max_examples=2 * CASES, deadline=None)
@given(traversals())
def test_every_weight_is_fed_once(one: Traversal) -> None:
    places = np.concatenate([one.places(stream) for stream in range(one.streams)])
    assert np.array_equal(np.sort(places[places >= 0]), np.arange(np.prod(one.shape)))


@settings(max_examples=CASES, deadline=None)
@given(traversals())
def test_what_is_fed_is_counted_before(one: Traversal) -> None:
    count = len(one.places(0))
    with pytest.MonkeyPatch.context() as limits:
        limits.setattr(traversal, "MAX_WEIGHTS", count)
        assert len(one.places(0)) == count
        limits.setattr(traversal, "MAX_WEIGHTS", count - 1)
        with pytest.raises(StreamError, match=f"weights, got {count}"):
            one.places(0)


@settings(max_examples=CASES, deadline=None)
@given(traversals().filter(lambda one: one.way != "depthwise"))
def test_one_stream_feeds_every_weight_once(one: Traversal) -> None:
    places = one.merged_places()
    assert np.array_equal(np.sort(places[places >= 0]), np.arange(np.prod(one.shape)))
