"""Custom options as FlexBuffers: what flatbuffers writes is read, and nothing else is."""

import random
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers

from arenite.errors import ModelError
from arenite.model import flexbuffer
from arenite.model.flexbuffer import vector
from tests.ops.flexbuffers import packed, untyped


def sample() -> bytes:
    b = flexbuffers.Builder()
    with b.Map():
        b.Int("stride", -5)
        b.Float("scale", 1.5)
        b.String("name", "hé")
        b.Bool("fused", True)
        b.Blob("raw", b"\x00\x01")
        with b.Vector("list"):
            b.Int(1)
            b.String("x")
            b.Null()
        with b.TypedVector("sizes"):
            b.Int(1)
            b.Int(300)
    return bytes(b.Finish())


def test_a_map_is_a_dict() -> None:
    assert flexbuffer.read(sample()) == {
        "stride": -5,
        "scale": 1.5,
        "name": "hé",
        "fused": True,
        "raw": b"\x00\x01",
        "list": [1, "x", None],
        "sizes": [1, 300],
    }


@pytest.mark.parametrize("value", [0, -(2**40), 1.25, "text", [1, 2, 3], [], {}])
def test_any_value_may_be_the_root(value: Any) -> None:
    assert flexbuffer.read(bytes(flexbuffers.Dumps(value))) == value


def test_values_that_many_offsets_lead_to_are_counted() -> None:
    # Vectors of two, each twice the one before: 2**40 values in a few hundred bytes.
    data = bytearray(b"\x01\x02\x04\x04")
    place, kinds = 1, (4, 4)
    for _ in range(40):
        start = len(data)
        data += bytes([2, start + 1 - place & 255, start + 2 - place & 255])
        place, kinds = start + 1, (40, 40)
        data += bytes(kinds)
    data += bytes([len(data) - place, 40, 1])
    with pytest.raises(ModelError, match="FlexBuffer"):
        flexbuffer.read(bytes(data))


@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"\xff" * 8])
def test_what_is_no_flexbuffer_is_refused(data: bytes) -> None:
    with pytest.raises(ModelError, match="FlexBuffer"):
        flexbuffer.read(data)


def test_changed_bytes_give_values_or_the_error() -> None:
    rng, read = random.Random(0), 0
    for _ in range(2000):
        data = bytearray(sample())
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            flexbuffer.read(bytes(data))
            read += 1
        except ModelError:
            pass
    assert 0 < read < 2000


@pytest.mark.parametrize("width", [1, 300, 70000, 2**40])
def test_elements_are_read_by_their_place(width: int) -> None:
    elements = vector(untyped(-7, True, width))
    assert len(elements) == 3
    assert elements.int32(0) == -7
    assert elements.bool(1) is True
    assert elements.int32(2) == width % 2**32  # the low 32 bits


def test_elements_of_a_map_are_in_the_order_of_its_keys() -> None:
    assert [vector(packed({"b": 2, "a": 1})).int32(i) for i in range(2)] == [1, 2]


def test_real_elements_are_rounded_to_float32() -> None:
    elements = vector(untyped(0.5, 2.0**24 + 1, 0.1))
    assert [elements.float32(i) for i in range(3)] == [0.5, 2.0**24, float(np.float32(0.1))]


def test_narrow_elements_are_no_real_numbers() -> None:
    assert vector(untyped(-3, 4)).float32(0) == -3.0


@pytest.mark.parametrize("value", [3, "text", None])
def test_what_is_no_untyped_vector_has_no_elements(value: Any) -> None:
    data = packed(value)
    assert len(vector(data)) == 0
    with pytest.raises(ModelError, match="at least 1 values, got 0"):
        vector(data).int32(0)


@pytest.mark.parametrize("end", [b"\x09\x28\x01", b"\x03\x28\x01", b"\x01\x28\x05", b""])
def test_a_vector_beside_its_bytes_is_refused(end: bytes) -> None:
    with pytest.raises(ModelError, match="malformed FlexBuffer"):
        vector(b"\x07\x01\x02" + end if end else end)


def test_changed_bytes_give_elements_or_the_error() -> None:
    data, rng = bytearray(untyped(1, 300, 2.5)), np.random.default_rng(1)
    for _ in range(2000):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 4)):
            changed[place] = rng.integers(256)
        with suppress(ModelError):
            elements = vector(bytes(changed))
            assert all(isinstance(elements.int32(i), int) for i in range(len(elements)))
