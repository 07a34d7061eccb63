"""U85's fast weight format, and what it refuses."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.npu.stream import StreamError
from arenite.npu.u85 import weights
from arenite.npu.u85.weights import decode_fast
from tests.ops.differential import CASES


def fast(
    *, is_bytes: bool, is_small: bool, adjust: int = 0, palette: list[int], body: str
) -> bytes:
    """A header of 256 bits, numbers from their lowest bit on, and what comes behind."""
    text = f"{is_bytes:d}{is_small:d}".ljust(104, "0") + f"{adjust & 255:08b}"[::-1]
    text += "".join(f"{value:09b}"[::-1] for value in palette)
    text = text.ljust(256, "0") + body
    text = text.ljust(-(-len(text) // 8) * 8, "0")
    return bytes(int(text[i : i + 8][::-1], 2) for i in range(0, len(text), 8))


def test_indices_of_two_bits_stand_for_values_of_a_palette() -> None:
    # Values are 2 * magnitude + sign; indices 0, 1, 2.
    stream = fast(is_bytes=False, is_small=True, palette=[0, 7, 510], body="001001")
    assert decode_fast(stream, 3).tolist() == [0, -3, 255]


def test_indices_have_four_bits_for_more_values() -> None:
    stream = fast(is_bytes=False, is_small=False, palette=[0] * 15 + [10], body="00001111")
    assert decode_fast(stream, 2).tolist() == [0, 5]


def test_bytes_are_values_from_which_a_number_is_taken() -> None:
    stream = fast(is_bytes=True, is_small=False, adjust=-2, palette=[], body="1000000011111111")
    assert decode_fast(stream, 2).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("data", "count", "message"),
    [
        (b"\0" * 31, 1, "expected a header of 256 bits of weights, got 248"),
        (b"\0" * 32, 1, "expected 1 weights in a stream, got 0"),
        (b"\0" * 34, 5, "expected 5 weights in a stream, got 4"),
    ],
)
def test_a_stream_that_is_too_short_is_refused(data: bytes, count: int, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        decode_fast(data, count)


@settings(max_examples=20 * CASES)
@given(st.binary(max_size=120), st.integers(0, 500))
def test_any_bytes_are_weights_or_refused(data: bytes, count: int) -> None:
    with contextlib.suppress(StreamError):
        assert len(decode_fast(data, count)) == count


def test_sparse_weights_have_two_of_four_beside_0() -> None:
    values = np.array([[[[1, 0, 2, 0, 0, 3]]]], np.int16)
    weights.check_sparse(values)
    values[..., 1] = 9
    with pytest.raises(StreamError, match="expected at most 2 of 4 weights beside 0, got 3"):
        weights.check_sparse(values)
