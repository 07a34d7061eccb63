"""Compressed constants, as TFLM_DECODE takes them: a pair of byte arrays each.

The layouts are those of TFLM's ``micro/compression/decode.py`` and ``lut.py``; of the Huffman
tables there is no encoder, their layout is what ``decode_state_huffman.cc`` reads.
"""

import heapq
from collections import Counter
from itertools import count as numbers
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from tests.ops.differential import one_operator

Array = np.ndarray[Any, Any]
LUT, HUFFMAN, PRUNE = range(3)


class Codes(NamedTuple):
    """What stands for a constant: its codes, and the bytes that say what they mean."""

    codes: Array
    meaning: Array


def header(kind: int, *own: int, version: int = 1) -> bytes:
    """The first 16 bytes; ``own`` are those of the kind, behind its version."""
    return bytes([kind, version, 0, 0, 1, *own]).ljust(16, b"\0")


def as_bytes(data: bytes) -> Array:
    return np.frombuffer(data, np.uint8)


def packed(values: Array, width: int) -> Array:
    """Numbers of ``width`` bits, the highest bit first."""
    shifts = np.arange(width)[::-1]
    return np.packbits((values.reshape(-1, 1) >> shifts & 1).astype(np.uint8))


def looked_up(indices: Array, tables: Array, width: int) -> Codes:
    """Indices into tables, one row for each channel."""
    meaning = header(LUT, width, tables.shape[1]) + tables.tobytes()
    return Codes(packed(indices, width), as_bytes(meaning))


def pruned(values: Array, zero_points: Array) -> Codes:
    """A bit for every value that is not its zero point, and those values."""
    flat = values.reshape(-1)
    mask = flat != zero_points.reshape(-1)
    return Codes(np.packbits(mask), as_bytes(header(PRUNE) + flat[mask].tobytes()))


def code_words(values: Array) -> dict[int, str]:
    """A prefix code for the values, with fewer bits for frequent ones."""
    ties = numbers()
    heap: list[tuple[int, int, dict[int, str]]] = [
        (count, next(ties), {value: ""}) for value, count in Counter(values.tolist()).items()
    ]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, _, zeros), (b, _, ones) = heapq.heappop(heap), heapq.heappop(heap)
        joined = {v: "0" + c for v, c in zeros.items()} | {v: "1" + c for v, c in ones.items()}
        heapq.heappush(heap, (a + b, next(ties), joined))
    return heap[0][2]


def huffman(values: Array, *, wide: bool, first: int, later: int) -> Codes:
    """Code words one behind the other, and tables of ``first`` bits, then of at most ``later``."""
    words = code_words(values.reshape(-1))
    bits = "".join(words[value] for value in values.reshape(-1).tolist())
    codes = int(bits.ljust(-(-len(bits) // 32) * 32 + 32, "0"), 2)
    stream = codes.to_bytes(-(-len(bits) // 32) * 4 + 4, "big")
    tables: list[int] = []
    _table(tables, words, first, later, (31, 27, 0xFFFF) if wide else (15, 11, 0xFF))
    kind = np.uint32 if wide else np.uint16
    meaning = header(HUFFMAN, int(wide) | (first - 1) << 4) + np.array(tables, kind).tobytes()
    return Codes(as_bytes(stream), as_bytes(meaning))


def _table(
    tables: list[int], words: dict[int, str], width: int, later: int, layout: tuple[int, int, int]
) -> None:
    """Append the table of code words from their first bits on, and those that it leads to."""
    found, shift, mask = layout
    start = len(tables)
    tables += [0] * (1 << width)
    longer: dict[int, dict[int, str]] = {}
    for value, word in words.items():
        if len(word) > width:
            longer.setdefault(int(word[:width], 2), {})[value] = word[width:]
            continue
        rest = width - len(word)
        low = int(word, 2) << rest if word else 0
        for entry in range(low, low + (1 << rest)):
            tables[start + entry] = 1 << found | len(word) << shift | (value & mask)
    for entry, rest_of_words in longer.items():
        next_width = min(later, max(map(len, rest_of_words.values())))
        further = len(tables) - (start + entry)
        assert further < 1 << shift, "too many tables for entries of 16 bits"
        tables[start + entry] = (next_width - 1) << shift | further
        _table(tables, rest_of_words, next_width, later, layout)


# -- models of them

Shape = tuple[int, ...]
COPIED = ("int8", "int16", "int32", "int64", "float32", "bool")


def decode(*outputs: tuple[Codes, str, Shape, dict[str, Any]], inputs: int | None = None) -> Model:
    """Outputs of that type, shape and quantisation, each out of a pair of constants."""
    b = ModelBuilder()
    pairs, decoded = [], []
    for number, ((codes, meaning), kind, shape, quantization) in enumerate(outputs):
        pairs += [b.constant(f"codes {number}", codes), b.constant(f"meaning {number}", meaning)]
        decoded.append(b.tensor(f"y{number}", shape, kind, **quantization))
    return one_operator(b, "TFLM_DECODE", pairs[:inputs], decoded, custom_options=b"")


def random_values(rng: np.random.Generator, kind: str, shape: Shape) -> Array:
    if kind == "float32":
        return rng.normal(size=shape).astype(np.float32)
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True)


@st.composite
def quantizations(draw: st.DrawFn, shape: Shape, *, zero_points: bool) -> dict[str, Any]:
    """None, one for the tensor, or one per channel of the first or the last dimension."""
    which = draw(st.sampled_from(["none", "one", "first", "last", "too few"]))
    axis = len(shape) - 1 if which == "last" else 0
    channels = shape[axis]
    if which == "none" or (which == "one" and axis):
        return {}
    if which == "one" or (which == "last" and channels == 1):
        channels, axis = 1, 0
    if which == "too few" and len(shape) > 1:
        channels = 2
    zeros = st.lists(st.integers(-128, 127), min_size=channels, max_size=channels)
    zero_point = draw(zeros) if zero_points and draw(st.booleans()) else [0] * channels
    scale = [0.5] * channels
    return {"scale": scale, "zero_point": zero_point, "quantized_dimension": axis}
