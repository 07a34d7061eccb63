"""Values that C makes of a file's tables are those of the rows that Python reads.

``ARENITE_CASES`` sets the number of the fuzzer's cases.
"""

import gc
import os
import struct
import sys

import numpy as np
import pytest

from arenite import native

pytest.importorskip("arenite.native._engine")

from arenite.errors import ModelError
from arenite.formats import tflite
from arenite.formats.flatbuffer import Field, Reader, Row, Schema, Tables, values_of
from arenite.model import Model
from tests.formats.zoo import ZOO, u16, u32, zoo
from tests.fuzz.bytes import Places, mutant
from tests.fuzz.cases import Cases
from tests.fuzz.targets import CORPUS
from tests.same import differences
from tests.shared import DIGITS

CASES = int(os.environ.get("ARENITE_CASES", "0"))


def both(data: bytes, *names: str, schema: Schema = ZOO) -> list[tuple[object, ...]]:
    """The root's values by C, which are the same by Python."""
    reader = Reader(schema, memoryview(data))
    tables = reader.tables()
    assert isinstance(tables, Tables)
    found = list(values_of(tables, names))
    rows: list[Row] = [Reader(schema, memoryview(data)).read_root()]
    assert not list(differences(found, list(values_of(rows, names))))
    return found


def model_of(data: bytes) -> Model | str:
    try:
        return tflite.read(data)
    except ModelError as error:
        return str(error)


def assert_agree(data: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Assert that there is the same model with C and without it, or the same error."""
    found = model_of(data)
    with monkeypatch.context() as patch:
        patch.setattr(native, "available", lambda: False)
        expected = model_of(data)
    assert not list(differences(found, expected))
    return isinstance(found, Model)


def test_scalars_and_texts() -> None:
    data = zoo({0: 4, 1: 8}, u32(-3, 8) + b"\0\0\0\0" + u32(2) + b"a\xff\0")
    assert both(data, "visitors", "name", "open") == [(-3, "a\ufffd", True)]


def test_what_is_not_there() -> None:
    names = ("visitors", "name", "animals", "sizes", "first", "first.legs", "open", "raw")
    assert both(zoo({}, b""), *names) == [(7, None, None, None, None, None, True, None)]


def test_a_field_of_the_table_in_a_field() -> None:
    data = zoo({7: 4}, u32(12) + u16(6, 5, 4, 0) + u32(8) + b"\3\0\0\0")
    assert both(data, "first.legs", "first.weight", "first.mother") == [(3, 1.5, None)]


def test_tables_in_a_vector() -> None:
    tables = u32(8) + b"\2" + u32(13) + b"\4"
    data = zoo({2: 4}, u32(4, 2, 16, 17) + u16(6, 5, 4, 0) + tables)
    ((animals,),) = values_of(Reader(ZOO, memoryview(data)).tables(), ("animals",))
    assert len(animals) == 2
    assert list(values_of(animals, ("legs", "weight"))) == [(2, 1.5), (4, 1.5)]


@pytest.mark.parametrize("shift", [0, 1])
def test_arrays_lie_in_the_file_where_they_are_aligned(shift: int) -> None:
    data = b"\0" * shift + zoo({3: 4}, u32(4, 2) + u16(1, 2))
    reader = Reader(ZOO, memoryview(bytearray(data))[shift:])
    ((sizes,),) = values_of(reader.tables(), ("sizes",))
    assert sizes.tolist() == [1, 2]
    assert not sizes.flags.writeable
    assert sizes.flags.aligned
    assert np.shares_memory(sizes, reader.bytes) == (not shift)


def test_tuples_of_every_length_and_sign() -> None:
    fields = (Field("x", 0, "[int32]", as_tuple=True), Field("y", 1, "[bool]", as_tuple=True))
    schema = Schema("Some", "T", b"ZOO1", {"T": fields})
    for count in (0, 1, 9, 40):
        numbers = struct.pack(f"<i{count}i", count, *range(-1, count - 1))
        data = zoo({0: 4}, u32(4) + numbers, vtable_size=8)
        assert both(data, "x", "y", schema=schema) == [(tuple(range(-1, count - 1)), None)]
    data = zoo({1: 4}, u32(4, 3) + b"\0\1\2", vtable_size=8)
    assert both(data, "x", "y", schema=schema) == [(None, (False, True, True))]


def test_a_field_that_has_no_values() -> None:
    with pytest.raises(KeyError, match="names"):
        both(zoo({}, b""), "names")


def test_reading_a_model_leaves_no_references_behind() -> None:
    data = DIGITS.read_bytes()
    tflite.read(data)
    gc.collect()  # else what other tests have left goes while these are counted
    before = sys.getrefcount(None), sys.getrefcount(data)
    for _ in range(50):
        tflite.read(data)
    assert sys.getrefcount(data) == before[1]
    # From 3.12 on None lives for ever; what an older Python compiled counts it on one side alone.
    assert sys.version_info >= (3, 12) or abs(sys.getrefcount(None) - before[0]) < 50


@pytest.mark.parametrize("shift", [0, 4, 2, 1])
def test_a_model_as_most_are_is_made_in_c(shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = memoryview(bytearray(shift) + DIGITS.read_bytes())[shift:]
    with monkeypatch.context() as patch:
        patch.setattr(native, "available", lambda: False)
        expected = tflite.read(data)
    if shift % 4 == 0:  # of what lies elsewhere Python copies the biases
        monkeypatch.setattr(tflite._ModelReader, "_read", None)
    model = tflite.read(data)
    assert not list(differences(model, expected))
    assert all(type(a) is type(b) for a, b in zip(parts(model), parts(expected), strict=True))
    values = [tensor.value for tensor in model.main.tensors if tensor.value is not None]
    assert all(value.flags.aligned and not value.flags.writeable for value in values)


def parts(model: Model) -> list[object]:
    """What a model's tensors and operators are made of."""
    objects = (*model.main.tensors, *model.main.operators)
    return [part for one in objects for part in (one, *vars(one).values())]


def test_c_takes_as_much_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(data: bytes) -> int | None:
        reader = Reader(tflite.SCHEMA, memoryview(data))
        try:
            tflite._ModelReader(reader, reader.tables()).model("")
        except ModelError:
            return None
        return reader.budget

    for path in (DIGITS, *sorted((CORPUS / "tflite").iterdir())):
        with monkeypatch.context() as patch:
            patch.setattr(native, "available", lambda: False)
            expected = left(path.read_bytes())
        assert left(path.read_bytes()) == expected


def test_what_fuzzing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in sorted((CORPUS / "tflite").iterdir()):
        assert_agree(path.read_bytes(), monkeypatch)


def test_changed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [path.read_bytes() for path in sorted((CORPUS / "tflite").iterdir())]
    sound = set()
    for number in range(100):
        rng = np.random.default_rng([4, number])
        data = files[int(rng.integers(len(files)))]
        anywhere = np.arange(len(data))
        sound.add(assert_agree(mutant(data, Places(anywhere, anywhere), rng), monkeypatch))
    assert sound == {True, False}


@pytest.mark.skipif(not CASES, reason="a longer run: make test-long")
def test_the_cases_of_fuzzing(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = Cases(4, "tflite")
    sound = {assert_agree(cases.file(number), monkeypatch) for number in range(40 * CASES)}
    assert sound == {True, False}
