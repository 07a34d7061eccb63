"""Custom options as FlexBuffers: what flatbuffers writes is read, and nothing else is."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flatbuffers import flexbuffers

from arenite.errors import ModelError
from arenite.formats import flexbuffer


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
