"""The verifier in C takes the files that the reader in Python takes, and finds the same in them.

``ARENITE_CASES`` sets the number of the fuzzer's cases of each format.
"""

import os
import struct
import subprocess
import sys

import numpy as np
import pytest

from arenite import native

pytest.importorskip("arenite.native._engine")

from arenite.errors import ModelError
from arenite.formats.flatbuffer import Field, Reader, Schema, rows
from arenite.formats.tflite_schema import SCHEMA
from arenite.mnn.lowering import models
from tests.formats.flatbuffer.engines import in_c, in_python
from tests.formats.zoo import ZOO, animals, u16, u32, zoo
from tests.fuzz.bytes import Places, mutant
from tests.fuzz.cases import Cases
from tests.fuzz.targets import CORPUS
from tests.same import differences
from tests.shared import DIGITS

CASES = int(os.environ.get("ARENITE_CASES", "0"))
SCHEMAS = {"tflite": SCHEMA, "mnn": models.SCHEMA}


def assert_agree(schema: Schema, data: bytes) -> bool:
    """Assert that both find the same rows, or something wrong; whether the file is sound."""
    expected, found = in_python(schema, data), in_c(schema, data)
    assert (found is None) == (expected is None)
    assert not list(differences(found, expected))
    return found is not None


def test_a_model() -> None:
    assert assert_agree(SCHEMA, DIGITS.read_bytes())


def test_what_is_left_of_the_budget_is_the_same() -> None:
    data = DIGITS.read_bytes()
    expected, found = in_python(SCHEMA, data), in_c(SCHEMA, data)
    assert expected is not None
    assert found is not None
    assert expected[1] == found[1] < 3 * len(data)


@pytest.mark.parametrize("extra", [-2, -1, 0, 1])
def test_the_budget_ends_at_the_same_byte(extra: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DIGITS.read_bytes()
    found = in_c(SCHEMA, data)
    assert found is not None
    monkeypatch.setattr("arenite.formats.flatbuffer.file.SLACK", 4096 - found[1] + extra)
    assert assert_agree(SCHEMA, data) == (extra >= 0)


@pytest.mark.parametrize("depth", [1, 63, 64, 65, 200])
def test_nesting_ends_at_the_same_depth(depth: int) -> None:
    data = zoo({2: 4}, u32(4, 1, 16) + animals(depth, [1]))
    assert assert_agree(ZOO, data) == (depth < 64)


def test_every_kind_of_field() -> None:
    person = u16(6, 8, 4, 0) + u32(8, 4, 1) + b"x\0"
    assert assert_agree(ZOO, zoo({5: 4, 6: 8}, u32(1, 12) + person))
    assert assert_agree(ZOO, zoo({5: 4, 6: 8}, u32(9, 12) + person))
    assert assert_agree(ZOO, zoo({1: 4}, u32(4, 2) + b"a\xff\0"))
    assert assert_agree(ZOO, zoo({3: 4}, u32(5) + b"\0" + u32(2) + u16(1, 2)))
    assert assert_agree(ZOO, zoo({4: 4}, u32(4, 2, 8, 12) + u32(1) + b"a\0\0\0" + u32(0) + b"\0"))
    assert assert_agree(ZOO, zoo({0: 4, 8: 8}, u32(-3, 0)))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_extremes_of_integers(kind: str) -> None:
    schema = Schema("One", "T", b"ZOO1", {"T": (Field("x", 0, kind, 5),)})
    limits = np.iinfo(kind)
    for value in (limits.min, -1, 0, 1, limits.max):
        if limits.min <= value:
            data = zoo({0: 4}, struct.pack("<q", value), vtable_size=6)
            found = in_c(schema, data)
            assert found is not None
            assert found[0] == {"x": value}
            assert assert_agree(schema, data)


def test_a_number_beyond_int64_and_one_that_is_no_integer() -> None:
    fields = (
        Field("x", 0, "uint64", 0),
        Field("y", 1, "float64", 0.5),
        Field("z", 2, "float32", 2),
    )
    schema = Schema("Some", "T", b"ZOO1", {"T": fields})
    body = struct.pack("<Qdf", 2**64 - 1, -1.25, 0.75)
    found = in_c(schema, zoo({0: 4, 1: 12, 2: 20}, body, vtable_size=10))
    assert found is not None
    assert found[0] == {"x": 2**64 - 1, "y": -1.25, "z": 0.75}
    absent = in_c(schema, zoo({}, b""))
    assert absent is not None
    assert absent[0] == {"x": 0, "y": 0.5, "z": 2}


def test_a_file_with_more_rows_than_there_is_room_for_at_first() -> None:
    assert assert_agree(ZOO, zoo({2: 4}, _flock(4000), size=8))


def test_a_file_of_very_many_vtables_is_left_to_python() -> None:
    data = zoo({2: 4}, _flock(4000, own_vtables=True), size=8)
    assert in_c(ZOO, data) is None
    expected = in_python(ZOO, data)
    assert expected is not None
    assert Reader(ZOO, memoryview(data)).root() == expected[0]


def _flock(count: int, *, own_vtables: bool = False) -> bytes:
    """So many animals, each with two legs; behind one vtable, or each behind its own."""
    vtable, tables, places = u16(6, 5, 4, 0), b"", []
    start = 8 + 4 * count  # behind the offset to the vector, and the vector
    for number in range(count):
        if own_vtables or not number:
            tables += vtable
        behind = 8 if own_vtables else 8 + 8 * number
        places.append(start + len(tables) - 8 - 4 * number)
        tables += u32(behind) + b"\2\0\0\0"
    return u32(4, count, *places) + tables


def test_why_a_file_is_not_sound_is_said_as_without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    data = DIGITS.read_bytes()[:2000]
    with pytest.raises(ModelError) as with_c:
        Reader(SCHEMA, memoryview(data)).root()
    monkeypatch.setattr(native, "available", lambda: False)
    with pytest.raises(ModelError) as without:
        Reader(SCHEMA, memoryview(data)).root()
    assert str(with_c.value) == str(without.value)


def test_a_file_that_c_has_verified_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data = DIGITS.read_bytes()
    monkeypatch.setattr(Reader, "_table", None)
    assert Reader(SCHEMA, memoryview(data)).root()["version"] == 3


def test_compiling_a_schema_happens_once() -> None:
    assert rows._compiled(SCHEMA) is rows._compiled(SCHEMA)


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_fuzzing_kept(name: str) -> None:
    for path in sorted((CORPUS / name).iterdir()):
        for schema in SCHEMAS.values():
            assert_agree(schema, path.read_bytes())


@pytest.mark.parametrize("name", SCHEMAS)
def test_changed_files(name: str) -> None:
    files = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    sound = set()
    for number in range(200):
        rng = np.random.default_rng([3, number])
        data = files[int(rng.integers(len(files)))]
        anywhere = np.arange(len(data))
        sound.add(assert_agree(SCHEMAS[name], mutant(data, Places(anywhere, anywhere), rng)))
    assert sound == {True, False}


@pytest.mark.skipif(not CASES, reason="a longer run: make test-long")
@pytest.mark.parametrize("name", SCHEMAS)
def test_the_cases_of_fuzzing(name: str) -> None:
    cases = Cases(3, name)
    sound = {assert_agree(SCHEMAS[name], cases.file(number)) for number in range(40 * CASES)}
    assert sound == {True, False}


GARBAGE = """
import gc
from arenite.formats import flatbuffer
from arenite.formats.tflite_schema import SCHEMA
from tests.shared import DIGITS

for _ in range(3):
    reader = flatbuffer.Reader(SCHEMA, flatbuffer.view_of(DIGITS.read_bytes()))
    cycle = [reader, reader.tables()]
    cycle.append(cycle)
    del reader, cycle
    gc.collect()
"""


def test_a_file_may_be_garbage_in_a_cycle() -> None:
    """As it is after an error, whose traceback holds what is read."""
    done = subprocess.run([sys.executable, "-c", GARBAGE], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
