"""Weight streams: by hand, as Vela's codec makes and reads them, and damaged."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.npu.stream import StreamError
from arenite.npu.weights import decode
from tests.ops.differential import CASES


def bits(*fields: tuple[int, int]) -> bytes:
    """Numbers and their widths, the lowest bit first, filled with ones to 16 bytes."""
    text = "".join(f"{number:0{width}b}"[::-1] for number, width in fields)
    text = text.ljust(-(-len(text) // 128) * 128, "1")
    return bytes(int(text[i : i + 8][::-1], 2) for i in range(0, len(text), 8))


#: Three plain weights of 4 bits, a palette of none; the values are 2 * magnitude + sign.
PLAIN = ((6, 3), (2, 15), (7, 3), (0, 1), (1, 1), (0, 5), (0, 5), (2, 3))


def test_plain_weights_are_sign_and_magnitude() -> None:
    stream = bits(*PLAIN, (0b0110, 4), (0b0111, 4), (0b0000, 4))
    assert decode(stream, 3).tolist() == [3, -3, 0]


def test_quotients_come_in_unary_and_low_bits_behind_them() -> None:
    # Division 1: a symbol of codes 0, 1 or 2 and more; twelve symbols, of which two count.
    header = ((6, 3), (1, 15), (1, 3), (0, 1), (1, 1), (0, 5), (0, 5), (2, 3))
    unary = 0b11  # the first symbol's codes are 2 and 1, so its quotient is 3; the others' are 0
    stream = bits(*header, (unary, 12), (0b01, 2), (1, 1), (0, 1))
    assert decode(stream, 2).tolist() == [-3, 0]


def test_a_palette_stands_before_other_values() -> None:
    header = ((6, 3), (1, 15), (7, 3), (0, 1), (1, 1), (0, 5), (1, 5), (2, 3), (9, 4), (4, 4))
    assert decode(bits(*header, (0, 1), (1, 1)), 2).tolist() == [-4, 2]


def test_runs_of_zeros_lie_between_weights() -> None:
    header = ((0, 3), (0, 15), (7, 3), (0, 1), (1, 1), (0, 5), (0, 5), (0, 3))
    # Runs of 1 and 2 zeros: 10 and 110, then nine runs of 0 that nobody needs.
    stream = bits(*header, (0b000000001101, 12), (0b10, 2))
    assert decode(stream, 4).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (b"", "expected 1 weights in a stream, got 0"),
        (b"\xff" * 16, "expected 1 weights in a stream, got 0"),
        (bits(*PLAIN, (0, 12)), "expected 1 weights in a stream, got 3"),
        (bits((4, 3)), "code of zero runs of 0 to 3, 6 or 7, got 4"),
        (bits((6, 3), (0, 15), (6, 3), (0, 1), (1, 1), (0, 13)), "code of weights .* got 6"),
        (bits((6, 3), (0, 15), (7, 3), (0, 1), (0, 1)), "expected a palette in a stream's first"),
        (bits(*PLAIN)[:4], "weights end in the middle of a slice, at bit 32"),
    ],
)
def test_a_damaged_stream_is_refused(stream: bytes, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        decode(stream, 1)


@st.composite
def weights(draw: st.DrawFn) -> list[int]:
    """Weights as networks have them: of few values, sparse, wide, narrow."""
    seed, count = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 3000))
    rng = np.random.default_rng(seed)
    spread = draw(st.sampled_from([1, 3, 20, 255]))
    values = rng.integers(-spread, spread + 1, count)
    values[rng.random(count) < draw(st.sampled_from([0.0, 0.5, 0.95]))] = 0
    if draw(st.booleans()):
        values[count // 2 :] = np.round(rng.normal(0, 9, count - count // 2)).astype(int)
    return values.tolist()


@settings(max_examples=CASES)
@given(weights())
def test_what_velas_codec_encodes_comes_back(values: list[int]) -> None:
    codec = pytest.importorskip("ethosu.mlw_codec", reason="Vela is not installed")
    stream = bytes(codec.encode(values))
    assert decode(stream, len(values)).tolist() == values == codec.decode(bytearray(stream))


@settings(max_examples=20 * CASES)
@given(st.binary(max_size=120), st.integers(0, 5000))
def test_any_bytes_are_weights_or_refused(data: bytes, count: int) -> None:
    with contextlib.suppress(StreamError):
        assert len(decode(data, count)) == count
