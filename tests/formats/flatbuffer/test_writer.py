"""What the FlatBuffer writer writes, the reader reads; what does not fit is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.errors import ModelError
from arenite.formats.flatbuffer import Field, Opaque, Row, Schema, Union, locate, read, write
from tests.formats.zoo import ZOO

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
INT32 = st.integers(-(2**31), 2**31 - 1)


def animals_with(parent: st.SearchStrategy[Row | None]) -> st.SearchStrategy[Row]:
    return st.fixed_dictionaries(
        {
            "legs": st.integers(0, 255),
            "mother": parent,
            "father": parent,
            "weight": st.floats(width=32, allow_nan=False),
        }
    )


ANIMALS = st.recursive(animals_with(st.none()), animals_with, max_leaves=6)
ZOOS = st.fixed_dictionaries(
    {
        "visitors": INT32,
        "name": st.none() | TEXT,
        "animals": st.none() | st.lists(ANIMALS, max_size=4),
        "sizes": st.none() | st.lists(st.integers(-(2**15), 2**15 - 1), max_size=9),
        "names": st.none() | st.lists(TEXT, max_size=4),
        "keeper": st.none() | TEXT.map(lambda name: Union(1, {"name": name})),
        "first": st.none() | ANIMALS,
        "open": st.booleans(),
        "raw": st.none() | st.binary(max_size=40),
    }
)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, Union):
        return Union(value.type, plain(value.value))
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


@settings(max_examples=200, deadline=None, derandomize=True)
@given(row=ZOOS)
def test_what_was_written_reads_the_same(row: Row) -> None:
    data = write(ZOO, row)
    assert plain(read(ZOO, memoryview(data))) == plain(row)


def test_missing_none_and_default_take_no_room() -> None:
    empty = write(ZOO, {})
    assert write(ZOO, {"visitors": 7, "name": None, "open": True}) == empty
    assert len(write(ZOO, {"visitors": 8})) > len(empty)


def test_file_identifier() -> None:
    assert write(ZOO, {})[4:8] == b"ZOO1"


@pytest.mark.parametrize("size", [1, 15, 16, 17, 100])
def test_vectors_begin_where_their_alignment_wants_them(size: int) -> None:
    data = write(ZOO, {"raw": bytes(size), "name": "x" * size, "sizes": [1] * (size % 5)})
    assert (locate(ZOO, memoryview(data), "$.raw") + 4) % 16 == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"visitors": 2**31}, "expected a value of type int32, got 2147483648 - at $.visitors"),
        ({"visitors": "many"}, "expected a value of type int32, got 'many' - at $.visitors"),
        (
            {"animals": [{}, {"legs": -1}]},
            "expected a value of type uint8, got -1 - at $.animals[1].legs",
        ),
        (
            {"sizes": [1, 40000]},
            "expected values of type int16, got [1, 40000] - at $.sizes",
        ),
        (
            {"sizes": np.array([1.5])},
            "expected values of type int16, got array([1.5]) - at $.sizes",
        ),
        (
            {"first": {"mother": {"weight": 1e39}}},
            "expected a value of type float32, got 1e+39 - at $.first.mother.weight",
        ),
        (
            {"keeper": Union(2, {})},
            "a table of type 2 has no known fields and cannot be written - at $.keeper",
        ),
        (
            {"keeper": Union(1, Opaque(8, empty=False))},
            "a table of type 1 has no known fields and cannot be written - at $.keeper",
        ),
    ],
)
def test_what_does_not_fit_is_refused(row: Row, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        write(ZOO, row)
    assert str(caught.value) == message


def test_a_union_can_bring_its_own_fields() -> None:
    fields = (Field("age", 0, "int32", 1),)
    data = write(ZOO, {"keeper": Union(9, {"age": 42}, fields)})
    keeper = read(ZOO, memoryview(data))["keeper"]
    assert keeper.type == 9
    assert not keeper.value.empty


@pytest.mark.parametrize(
    "kind",
    ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"],
)
def test_extremes_of_integers(kind: str) -> None:
    schema = Schema(
        "one", "One", b"ONE1", {"One": (Field("x", 0, kind, 1), Field("v", 1, f"[{kind}]"))}
    )
    info = np.iinfo(kind)
    for value in (int(info.min), int(info.max)):
        row = read(schema, memoryview(write(schema, {"x": value, "v": [value]})))
        assert row["x"] == value
        assert row["v"].tolist() == [value]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_nan_and_infinity_of_floats(kind: str) -> None:
    schema = Schema(
        "one", "One", b"ONE1", {"One": (Field("x", 0, kind, 0.0), Field("v", 1, f"[{kind}]"))}
    )
    row = read(schema, memoryview(write(schema, {"x": float("nan"), "v": [float("-inf")]})))
    assert np.isnan(row["x"])
    assert row["v"].tolist() == [float("-inf")]
