"""Ways to break a file byte by byte."""

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from arenite.formats import load
from arenite.formats.flatbuffer import Opaque, Reader, Union, locate
from arenite.formats.tflite_schema import SCHEMA
from arenite.mnn.lowering import models
from tests.fuzz.rows import schema_of

Rng = np.random.Generator
Change = Callable[[bytearray, int, Rng], None]
"""``change(data, place, rng)`` changes the file at or near a place."""

BYTES = (0, 1, 2, 3, 4, 8, 16, 32, 64, 127, 128, 254, 255)
WORDS = (0, 1, 2, 3, 4, 7, 8, 255, 256, 2**15, 2**16, 2**30, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)


class Places(NamedTuple):
    """Positions in a file: of all that is no constant, and of numbers that mean something."""

    structure: Any
    numbers: Any


def mutant(data: bytes, places: Places, rng: Rng) -> bytes:
    """``data`` after one to five changes.

    Half of the mutants have other numbers in them (indices, dimensions, options), which
    the layer below does not mind; in the others anything may be broken.
    """
    broken = bytearray(data)
    only_numbers = rng.random() < 0.5
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 5]))):
        if not broken:
            break
        changes = NUMBER_CHANGES if only_numbers else CHANGES
        hit = places.numbers if only_numbers else places.structure
        place = int(rng.choice(hit)) if rng.random() < 0.95 else int(rng.integers(len(data)))
        changes[int(rng.integers(len(changes)))](broken, min(place, len(broken) - 1), rng)
    return bytes(broken)


def places_of(data: bytes) -> Places:
    """Where changes to a sound file hurt most."""
    return Places(structure(data), np.array(sorted(numbers(data))))


def numbers(data: bytes) -> Iterator[int]:
    """Positions of all scalars, elements of vectors of scalars, and options."""
    view, schema = memoryview(data), schema_of(data)
    row = Reader(schema, view).root()
    for path, value in _leaves(row):
        position = locate(schema, view, path)
        if isinstance(value, Union) and isinstance(value.value, Opaque):
            start = value.value.position
            vtable = start - struct.unpack_from("<i", view, start)[0]
            size = struct.unpack_from("<H", view, vtable + 2)[0]
            yield from range(start + 4, start + size)
        elif isinstance(value, np.ndarray):
            if not is_constant(path, value):
                yield from range(position + 4, position + 4 + value.nbytes, value.itemsize)
        elif isinstance(value, tuple):
            item = 1 if value and isinstance(value[0], bool) else 4  # all others are int32
            yield from range(position + 4, position + 4 + item * len(value), item)
        elif position != locate(schema, view, path.rpartition(".")[0]):
            # Where a field is absent, the place found is its table's.
            yield position + 4 * isinstance(value, str)


def _leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")
    elif value is not None:
        yield path, value


def is_constant(path: str, value: Any) -> bool:
    """Whether an array in a file holds weights and the like, of which one is as good as another."""
    return path.endswith(".data") or (value.nbytes > 32 and path.startswith("$.oplists"))


def structure(data: bytes) -> Any:
    """Positions of all bytes that are no constants: where changes hurt most."""
    outside = np.ones(len(data), bool)
    start = np.frombuffer(data, np.uint8).__array_interface__["data"][0]
    for array in constants(data):
        begin = array.__array_interface__["data"][0] - start
        outside[begin : begin + array.nbytes] = False
    return np.flatnonzero(outside)


def constants(data: bytes) -> Iterator[Any]:
    """The larger constants in a file, as views of it."""
    if schema_of(data) is SCHEMA:
        for subgraph in load(data).subgraphs:
            for tensor in subgraph.tensors:
                if tensor.data is not None and len(tensor.data) > 32:
                    yield tensor.data
        return
    for path, value in _leaves(Reader(models.SCHEMA, memoryview(data)).root()):
        if isinstance(value, np.ndarray) and is_constant(path, value):
            yield value


def flip_bit(data: bytearray, place: int, rng: Rng) -> None:
    data[place] ^= 1 << int(rng.integers(8))


def set_byte(data: bytearray, place: int, rng: Rng) -> None:
    data[place] = BYTES[int(rng.integers(len(BYTES)))]


def nudge_byte(data: bytearray, place: int, rng: Rng) -> None:
    data[place] = (data[place] + int(rng.choice([-2, -1, 1, 2]))) % 256


def set_word(data: bytearray, place: int, rng: Rng) -> None:
    """An aligned 32-bit word, such as an offset or a length, becomes an extreme one."""
    size = len(data)
    words = (*WORDS, size, size - 4, size - place, 2**32 - place, int(rng.integers(size)))
    _put(data, place, words[int(rng.integers(len(words)))])


def nudge_word(data: bytearray, place: int, rng: Rng) -> None:
    """An aligned 32-bit word becomes a little larger or smaller."""
    place &= ~3
    if place + 4 <= len(data):
        step = int(rng.choice([-16, -4, -2, -1, 1, 2, 4, 16]))
        _put(data, place, struct.unpack_from("<I", data, place)[0] + step)


def set_half(data: bytearray, place: int, rng: Rng) -> None:
    """An aligned 16-bit word, such as an entry of a vtable, becomes another one."""
    place &= ~1
    halves = (*BYTES, 2**15, 2**16 - 1)
    data[place : place + 2] = struct.pack("<H", halves[int(rng.integers(len(halves)))])


def copy_over(data: bytearray, place: int, rng: Rng) -> None:
    """A piece of the file overwrites another one of the same size."""
    size = int(rng.choice([1, 2, 4, 8, 16, 64]))
    source = int(rng.integers(len(data)))
    piece = data[source : source + size]
    data[place : place + len(piece)] = piece


def delete(data: bytearray, place: int, rng: Rng) -> None:
    del data[place : place + int(rng.choice([1, 2, 4, 8, 64]))]


def insert(data: bytearray, place: int, rng: Rng) -> None:
    data[place:place] = rng.bytes(int(rng.choice([1, 2, 4, 8, 64])))


def truncate(data: bytearray, place: int, rng: Rng) -> None:
    del data[place:]


NUMBER_CHANGES: tuple[Change, ...] = (
    *(flip_bit, set_byte, set_byte, nudge_byte, nudge_byte, nudge_byte, set_word, nudge_word),
)
CHANGES: tuple[Change, ...] = (
    *(flip_bit, set_byte, set_byte, set_word, set_word, set_word, nudge_word, nudge_word),
    *(set_half, set_half, copy_over, delete, insert, truncate),
)


def _put(data: bytearray, place: int, word: int) -> None:
    place &= ~3
    data[place : place + 4] = struct.pack("<I", word % 2**32)[: len(data) - place]
