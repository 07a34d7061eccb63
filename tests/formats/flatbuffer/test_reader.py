"""The FlatBuffer reader takes nothing on trust, and says what is wrong and where."""

import tracemalloc

import numpy as np
import pytest

from arenite import native
from arenite.errors import ModelError
from arenite.formats.flatbuffer import Field, Opaque, Reader, Union, layout_of, locate, read
from tests.formats.zoo import ROOT, VTABLE, ZOO, animals, u16, u32, zoo

BODY = ROOT + 4


@pytest.fixture(autouse=True, params=["with C", "in Python"])
def _engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are verified in C, and read in Python where something is wrong; or without C."""
    if request.param == "in Python":
        monkeypatch.setattr(native, "available", lambda: False)
    elif not native.available():
        pytest.skip("needs the native engine")


def test_absent_fields_have_their_defaults() -> None:
    row = read(ZOO, memoryview(zoo({}, b"")))
    assert row == {
        "visitors": 7,
        "name": None,
        "animals": None,
        "sizes": None,
        "names": None,
        "keeper": None,
        "first": None,
        "open": True,
        "raw": None,
    }


def test_a_short_vtable_leaves_its_later_fields_out() -> None:
    row = read(ZOO, memoryview(zoo({0: 4, 8: 4}, u32(0), vtable_size=6)))
    assert row["visitors"] == 0
    assert row["open"] is True


def test_scalars() -> None:
    row = read(ZOO, memoryview(zoo({0: 4, 8: 8}, u32(-3, 0))))
    assert row["visitors"] == -3
    assert row["open"] is False


def test_string() -> None:
    assert read(ZOO, memoryview(zoo({1: 4}, u32(4, 2) + "é\0".encode())))["name"] == "é"


def test_broken_utf8_becomes_replacement_characters() -> None:
    assert read(ZOO, memoryview(zoo({1: 4}, u32(4, 2) + b"a\xff\0")))["name"] == "a\ufffd"


def test_vectors_are_read_only_views_on_the_file() -> None:
    data = bytearray(zoo({3: 4}, u32(4, 2) + u16(1, 2)))
    sizes = read(ZOO, memoryview(data))["sizes"]
    assert sizes.tolist() == [1, 2]
    assert not sizes.flags.writeable
    data[BODY + 8] = 9
    assert sizes.tolist() == [9, 2]


def test_vectors_that_are_not_aligned_are_copied() -> None:
    data = zoo({3: 4}, u32(5) + b"\0" + u32(2) + u16(1, 2))
    sizes = read(ZOO, memoryview(data))["sizes"]
    assert sizes.tolist() == [1, 2]
    assert sizes.flags.aligned
    assert not sizes.flags.writeable


def test_vector_of_strings() -> None:
    data = zoo({4: 4}, u32(4, 2, 8, 12) + u32(1) + b"a\0\0\0" + u32(0) + b"\0")
    assert read(ZOO, memoryview(data))["names"] == ["a", ""]


def test_vector_of_tables() -> None:
    data = zoo({2: 4}, u32(4, 1, 16) + animals(1, []))
    assert [animal["legs"] for animal in read(ZOO, memoryview(data))["animals"]] == [4]


def test_union_of_a_known_type() -> None:
    person = u16(6, 8, 4, 0) + u32(8, 4, 1) + b"x\0"
    data = zoo({5: 4, 6: 8}, u32(1, 12) + person)
    assert read(ZOO, memoryview(data))["keeper"] == Union(1, {"name": "x"})


def test_union_of_an_unknown_type_stays_opaque_until_its_fields_are_known() -> None:
    data = zoo({5: 4, 6: 8}, u32(9, 12) + u16(6, 8, 4, 0) + u32(8, 5))
    reader = Reader(ZOO, memoryview(data))
    keeper = reader.root()["keeper"]
    assert keeper == Union(9, Opaque(BODY + 16, empty=False))
    layout = layout_of(ZOO, [Field("age", 0, "int32", 1)])
    assert reader.table(BODY + 16, layout, "$.keeper") == {"age": 5}


def test_union_without_type_is_none() -> None:
    assert read(ZOO, memoryview(zoo({5: 4}, u32(0))))["keeper"] is None


# Each: what is wrong, the file, path and byte offset of the error, a part of its message.
HOSTILE = {
    "too short": (b"ZOO1", "$", 0, "at least 8 bytes, got 4"),
    "wrong identifier": (u32(8) + b"ZOO2" + u32(0), "$", 4, "expected file identifier b'ZOO1'"),
    "root offset zero": (u32(0) + b"ZOO1", "$", 0, "got 0"),
    "root beyond the end": (u32(10**6) + b"ZOO1" + u32(0), "$", 0, "got 1000000"),
    "root offset of 2**32 - 1": (u32(-1) + b"ZOO1" + u32(0), "$", 0, "got 4294967295"),
    "root header cut off": (u32(9) + b"ZOO1" + u32(0), "$", 0, "got 9"),
    "vtable before the file": (zoo({}, b"", soffset=ROOT + 1), "$", ROOT, "vtable at -1"),
    "vtable behind the file": (zoo({}, b"", soffset=-100), "$", ROOT, f"vtable at {ROOT + 100}"),
    "vtable too small": (zoo({}, b"", vtable_size=2), "$", VTABLE, "got 2"),
    "vtable of odd size": (zoo({}, b"", vtable_size=7), "$", VTABLE, "got 7"),
    "vtable beyond the end": (zoo({}, b"", vtable_size=100), "$", VTABLE, "got 100"),
    "vtable inside the table": (
        zoo({}, u16(4, 12), soffset=-4) + u32(0),
        "$",
        ROOT,
        f"overlaps its vtable at {ROOT + 4}",
    ),
    "table inside the vtable": (zoo({}, b"", vtable_size=26), "$", ROOT, "overlaps its vtable"),
    "table too small": (zoo({}, b"", size=3), "$", VTABLE + 2, "got 3"),
    "table beyond the end": (zoo({}, b"", size=100), "$", ROOT, "table of 100 bytes"),
    "field beyond the table": (zoo({0: 5}, u32(0)), "$.visitors", VTABLE + 4, "got offset 5"),
    "field in the header": (zoo({0: 2}, u32(0)), "$.visitors", VTABLE + 4, "got offset 2"),
    "string offset zero": (zoo({1: 4}, u32(0)), "$.name", BODY, "got 0"),
    "string offset beyond the end": (zoo({1: 4}, u32(1000)), "$.name", BODY, "got 1000"),
    "string beyond the end": (
        zoo({1: 4}, u32(4, 5) + b"abc\0"),
        "$.name",
        BODY + 4,
        "5 elements of 1 bytes",
    ),
    "string without terminator": (
        zoo({1: 4}, u32(4, 3) + b"abcd"),
        "$.name",
        BODY + 4,
        "not terminated",
    ),
    "string whose terminator is cut off": (
        zoo({1: 4}, u32(4, 4) + b"abcd"),
        "$.name",
        BODY + 4,
        "4 elements",
    ),
    "vector beyond the end": (
        zoo({3: 4}, u32(4, 2) + u16(1)),
        "$.sizes",
        BODY + 4,
        "2 elements of 2 bytes",
    ),
    "vector whose size wraps to 0 in 32 bits": (
        zoo({3: 4}, u32(4, 2**31)),
        "$.sizes",
        BODY + 4,
        "2147483648 elements",
    ),
    "vector of offsets beyond the end": (
        zoo({4: 4}, u32(4, 2**30)),
        "$.names",
        BODY + 4,
        "1073741824 elements",
    ),
    "element of a vector": (
        zoo({4: 4}, u32(4, 2, 8, 0) + u32(0, 0)),
        "$.names[1]",
        BODY + 12,
        "got 0",
    ),
    "element that is a table": (
        zoo({2: 4}, u32(4, 2, 20, 1000) + animals(1, [])),
        "$.animals[1]",
        BODY + 12,
        "got 1000",
    ),
    "nested table": (
        zoo({7: 4}, u32(16) + u16(12, 12, 0, 4, 0, 0) + u32(12, 0, 0)),
        "$.first.mother",
        BODY + 20,
        "got 0",
    ),
    "table that points to itself": (zoo({7: 4}, u32(0)), "$.first", BODY, "got 0"),
    "union type beyond the table": (
        zoo({5: 8, 6: 4}, u32(4)),
        "$.keeper",
        VTABLE + 14,
        "got offset 8",
    ),
    "union value beyond the table": (
        zoo({5: 4, 6: 8}, u32(1)),
        "$.keeper",
        VTABLE + 16,
        "got offset 8",
    ),
    "union value beyond the end": (
        zoo({5: 4, 6: 8}, u32(1, 1000)),
        "$.keeper",
        BODY + 4,
        "got 1000",
    ),
    "unknown union with a broken vtable": (
        zoo({5: 4, 6: 8}, u32(9, 4, 1000)),
        "$.keeper",
        BODY + 8,
        "vtable at",
    ),
    "required field of a union's table": (
        zoo({5: 4, 6: 8}, u32(1, 8) + u16(4, 4) + u32(4)),
        "$.keeper",
        BODY + 12,
        "required field 'name' is missing",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file(name: str) -> None:
    data, path, offset, message = HOSTILE[name]
    with pytest.raises(ModelError) as caught:
        read(ZOO, memoryview(data))
    assert message in caught.value.message
    assert (caught.value.path, caught.value.offset) == (path, offset)
    assert str(caught.value).endswith(f" - at {path} (byte {offset})")


@pytest.mark.parametrize("size", range(0, BODY + 20, 3))
def test_cut_off_anywhere(size: int) -> None:
    data = zoo({1: 4}, u32(4, 11) + b"hello world\0")
    with pytest.raises(ModelError):
        read(ZOO, memoryview(data[:size]))


def test_error_inside_an_opaque_table_has_the_whole_path() -> None:
    data = zoo({5: 4, 6: 8}, u32(9, 12) + u16(6, 8, 4, 0) + u32(8, 0))
    reader = Reader(ZOO, memoryview(data))
    reader.root()
    with pytest.raises(ModelError) as caught:
        reader.table(BODY + 16, layout_of(ZOO, [Field("name", 0, "string")]), "$.keeper")
    assert (caught.value.path, caught.value.offset) == ("$.keeper.name", BODY + 20)


def test_nesting_is_limited() -> None:
    data = zoo({7: 4}, u32(16) + animals(100, [1]))
    with pytest.raises(ModelError, match="at most 64 nested tables") as caught:
        read(ZOO, memoryview(data))
    assert caught.value.path == "$.first" + 64 * ".mother"


def test_offsets_that_share_tables_do_not_multiply_the_work() -> None:
    # Two ways on from each of 60 tables: to go all of them would take for ever.
    data = zoo({7: 4}, u32(16) + animals(60, [1, 2]))
    with pytest.raises(ModelError, match="are used more than 3 times over"):
        read(ZOO, memoryview(data))


@pytest.mark.parametrize("slot", [2, 4])
def test_a_vector_of_offsets_to_one_table_or_string_does_not_multiply_memory(slot: int) -> None:
    count = 100_000
    places = 4 * count
    target = animals(1, []) if slot == 2 else u32(50_000) + bytes(50_001)
    start = 12 if slot == 2 else 0
    offsets = b"".join(u32(places - 4 * number + start) for number in range(count))
    data = zoo({slot: 4}, u32(4, count) + offsets + target, size=8)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="are used more than 3 times over"):
            read(ZOO, memoryview(data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(data)


def test_a_few_shared_tables_are_fine() -> None:
    data = zoo({2: 4}, u32(4, 2, 20, 16) + animals(1, []))
    assert len(read(ZOO, memoryview(data))["animals"]) == 2


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        ("$", ROOT),
        ("$.visitors", BODY),
        ("$.sizes", BODY + 12),
        ("$.sizes[1]", BODY + 18),
        ("$.names[0]", BODY + 28),
        # What is not there is found as far as it is.
        ("$.animals[3].legs", ROOT),
        ("$.sizes[7]", BODY + 12),
        ("$.nothing", ROOT),
    ],
)
def test_locate(path: str, offset: int) -> None:
    body = u32(0, 8, 12) + u32(2) + u16(1, 2) + u32(1, 4) + u32(0) + b"\0"
    data = zoo({0: 4, 3: 8, 4: 12}, body, size=16)
    assert read(ZOO, memoryview(data))["sizes"].tolist() == [1, 2]
    assert locate(ZOO, memoryview(data), path) == offset


def test_numbers_are_read_little_endian() -> None:
    data = zoo({3: 4}, u32(4, 1) + b"\x01\x02")
    assert read(ZOO, memoryview(data))["sizes"].dtype == np.dtype("<i2")
    assert read(ZOO, memoryview(data))["sizes"].tolist() == [0x0201]
