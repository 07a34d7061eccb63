"""Inputs from .npy, .npz and .csv."""

import re
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from arenite.analysis.inputs.arrays import check_labels, read_csv, read_labels, read_npy, read_npz
from arenite.analysis.inputs.values import InputError
from arenite.errors import DTypeError, ShapeError
from arenite.model import ModelBuilder, SignatureDef
from tests.analysis.outcomes import SCORES


def inputs(*rows, signature=None):
    """A model with one input per ``(name, shape, type, scale, zero_point)``."""
    b = ModelBuilder()
    for name, shape, kind, *quantization in rows:
        scale, zero_point = quantization or (None, 0)
        b.input(name, shape, kind, scale=scale, zero_point=zero_point)
    return b.build(signatures=[signature] if signature else [])


FLOAT = inputs(("x", (1, 2, 3), "float32")).inputs[0]
INT8 = inputs(("x", (1, 2, 3), "int8", 0.5, -1)).inputs[0]
INT32 = inputs(("x", (1, 3), "int32")).inputs[0]
VALUES = np.arange(6).reshape(1, 2, 3)
OR_FLOATS = "int8, or floats to quantise, for input 'x',"


@pytest.fixture
def file(tmp_path):
    """``file(name, content)`` writes text, bytes or an array and returns the path."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        elif isinstance(content, dict):
            np.savez(path, **content)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def exactly(message):
    return f"^{re.escape(message)}$"


# -- .npy --------------------------------------------------------------------------------


def test_an_array_of_the_inputs_type_is_taken_as_it_is(file):
    read = read_npy(file("a.npy", VALUES.astype(np.int8)), INT8)
    assert read.array.dtype == np.int8
    assert read.array.tolist() == VALUES.tolist()
    assert read.origin == "a.npy"


def test_axes_of_length_one_may_be_missing_or_extra(file):
    assert read_npy(file("a.npy", VALUES[0].astype(np.int8)), INT8).array.shape == (1, 2, 3)
    assert read_npy(file("a.npy", VALUES[None].astype(np.int8)), INT8).array.shape == (1, 2, 3)


def test_floats_are_quantised_halves_away_from_zero_and_clipped(file):
    reals = np.array([[0.0, 0.25, -0.25], [0.5, 1e9, -1e9]])
    read = read_npy(file("a.npy", reals), INT8)
    assert read.array.tolist() == [[[-1, 0, -2], [0, 127, -128]]]
    assert read.origin == "a.npy, quantised"


def test_numbers_are_converted_for_a_float_input(file):
    read = read_npy(file("a.npy", VALUES), FLOAT)
    assert read.array.dtype == np.float32
    assert read.origin == "a.npy, converted from int64"


def test_big_endian_arrays_are_read(file):
    assert read_npy(file("a.npy", VALUES[0, 0].astype(">i4")), INT32).array.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    "content", [b"", b"\x93NUMPY", b"no array at all", b"\x93NUMPY\x01\x00\x05\x00{'a'}"]
)
def test_broken_npy_files_are_refused(file, content):
    with pytest.raises(InputError, match=r"not a readable .npy file"):
        read_npy(file("a.npy", content), INT8)


def npy(shape, dtype="|i1", data=b"", version=(1, 0)):
    """The bytes of an array that says of itself what it likes."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}}}".encode()
    length = len(header).to_bytes(2 if version == (1, 0) else 4, "little")
    return b"\x93NUMPY" + bytes(version) + length + header + data


@pytest.mark.parametrize(
    ("array", "tensor", "error", "words"),
    [
        (np.zeros((3, 2), np.int8), INT8, ShapeError, "shape [1, 2, 3] for input 'x', got [3, 2]"),
        (VALUES.astype(np.uint8), INT8, DTypeError, f"{OR_FLOATS} got uint8"),
        (np.zeros((1, 3)), INT32, DTypeError, "int32 for input 'x', got float64"),
        (np.full((2, 3), np.nan), INT8, InputError, "finite numbers, got NaN or infinity"),
        (np.full((1, 2, 3), print, object), INT8, DTypeError, f"{OR_FLOATS} got object"),
    ],
    ids=("another shape", "other integers", "no scale", "NaN", "a pickle"),
)
def test_an_array_that_does_not_fit_is_refused(file, array, tensor, error, words):
    with pytest.raises(error, match=exactly(f"a.npy: expected {words}")):
        read_npy(file("a.npy", array), tensor)


def test_a_header_that_promises_a_terabyte_costs_nothing(file):
    with pytest.raises(ShapeError, match=re.escape("got [1099511627776]")):
        read_npy(file("a.npy", npy((1 << 40,))), INT8)


@pytest.mark.parametrize(
    "content",
    [
        npy((2, 3), data=b"short"),
        npy((2, 3), data=bytes(6), version=(3, 0)),
        npy((-2, -3), data=bytes(6)),
        npy((2, 3), "V9999999999"),
        npy((2, 3), "<f999"),
        npy(2.5),
        npy("[" * 9000),
        npy((2, 3), [("a", "|i1", (1 << 40,))]),
    ],
    ids=lambda content: str(content[10:40]),
)
def test_strange_npy_files_are_refused_in_words(file, content):
    with pytest.raises((InputError, ShapeError, DTypeError), match=r"a\.npy: "):
        read_npy(file("a.npy", content), INT8)


def test_an_archive_under_the_name_npy_is_refused(file):
    path = file("b.npz", {"a": VALUES}).rename(file("a.npy", b""))
    with pytest.raises(InputError, match=r"expected one array, got an archive; name it .npz"):
        read_npy(path, INT8)


# -- .npz --------------------------------------------------------------------------------

TWO = (("first", (2,), "float32"), ("second", (3,), "float32"))
ONE, OTHER = np.zeros(2, np.float32), np.ones(3, np.float32)


def sizes(read):
    return [one.array.size for one in read]


def test_arrays_are_found_by_tensor_name(file):
    read = read_npz(file("a.npz", {"second": OTHER, "first": ONE}), inputs(*TWO))
    assert sizes(read) == [2, 3]
    assert read[1].origin == "a.npz[second]"


def test_arrays_are_found_by_signature_name(file):
    signature = SignatureDef("serving", {"a": 1, "b": 0}, {})
    read = read_npz(file("a.npz", {"a": OTHER, "b": ONE}), inputs(*TWO, signature=signature))
    assert sizes(read) == [2, 3]


def test_arrays_are_found_by_position(file):
    assert sizes(read_npz(file("a.npz", {"arr_0": ONE, "arr_1": OTHER}), inputs(*TWO))) == [2, 3]


def test_the_only_array_serves_the_only_input(file):
    assert sizes(read_npz(file("a.npz", {"whatever": ONE}), inputs(TWO[0]))) == [2]


def test_unknown_names_are_refused(file):
    message = (
        "a.npz: expected arrays named 'first', 'second' (or arr_0, arr_1 ...), got 'x', 'first'"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        read_npz(file("a.npz", {"x": ONE, "first": ONE}), inputs(*TWO))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive"])
def test_broken_npz_files_are_refused(file, content):
    with pytest.raises(InputError, match=r"not a readable .npz archive"):
        read_npz(file("a.npz", content), inputs(*TWO))


def test_an_array_under_the_name_npz_is_refused(file):
    path = file("a.npy", ONE).rename(file("b.npz", b""))
    with pytest.raises(InputError, match=r"not a readable .npz archive"):
        read_npz(path, inputs(TWO[0]))


def peak_of(call):
    """Bytes that a call takes at most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_array_of_another_shape_is_not_read(file, tmp_path):
    np.savez_compressed(tmp_path / "a.npz", first=np.zeros(1 << 26, np.uint8), second=OTHER)

    def read():
        with pytest.raises(ShapeError, match=re.escape("a.npz[first]: expected shape [2]")):
            read_npz(tmp_path / "a.npz", inputs(*TWO))

    assert peak_of(read) < 1 << 21


def test_arrays_that_no_input_takes_are_not_read(file):
    arrays = {"first": ONE, "second": OTHER, "more": np.full(1, print, object)}
    assert sizes(read_npz(file("a.npz", arrays), inputs(*TWO))) == [2, 3]


def test_what_follows_an_array_is_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy((2, 3), data=bytes(1 << 26)))
    model = inputs(("x", (1, 2, 3), "int8"))
    assert peak_of(lambda: read_npz(tmp_path / "a.npz", model)) < 1 << 21


@pytest.mark.parametrize("position", [30, 45, 60, 100, -70, -40, -10])
def test_a_damaged_archive_is_refused_in_words(tmp_path, position):
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(1000, dtype=np.float32))
    model = inputs(("x", (1000,), "float32"))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    for value in (0x00, 0x7F, 0xFF):
        data[position] = value
        (tmp_path / "a.npz").write_bytes(data)
        with suppress(InputError, ShapeError, DTypeError):
            read_npz(tmp_path / "a.npz", model)


# -- .csv --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "0,1,2\n3,4,5\n",
        "0 1 2 3 4 5",
        "0;1;2;3;4;5;\r\n",
        "a,b,c\n0,1,2\n3,4,5",
        "# six numbers\n0\t1\t2 # three\n\n3\t4\t5",
        "\ufeff0,1,2,3,4,5",
    ],
)
def test_numbers_are_read_in_the_tensors_order(file, text):
    assert read_csv(file("a.csv", text), FLOAT).array.tolist() == VALUES.tolist()


def test_numbers_are_quantised(file):
    read = read_csv(file("a.csv", "0,0.5,1,1.5,2,100"), INT8)
    assert read.array.tolist() == [[[-1, 0, 1], [2, 3, 127]]]
    assert read.origin == "a.csv, quantised"


def test_integers_without_a_scale_must_be_whole_and_in_range(file):
    assert read_csv(file("a.csv", "1,-2,3"), INT32).array.tolist() == [[1, -2, 3]]
    for text, number in (("1,2.5,3", "2.5"), ("1,3e9,2", "3e\\+09"), ("1,nan,2", "nan")):
        with pytest.raises(InputError, match=f"expected int32 numbers, got {number}"):
            read_csv(file("a.csv", text), INT32)


def test_a_word_is_refused_with_its_line(file):
    path = file("a.csv", "0,1,2\n3,four,5")
    message = f"{path}, line 2: expected numbers, could not convert string to float: 'four'"
    with pytest.raises(InputError, match=exactly(message)):
        read_csv(path, FLOAT)


def test_a_wrong_count_is_refused(file):
    message = "a.csv: expected 6 numbers for input 'x' (float32[1,2,3]), got 2"
    with pytest.raises(ShapeError, match=exactly(message)):
        read_csv(file("a.csv", "1,2"), FLOAT)


def test_a_text_that_is_too_long_for_its_numbers_is_not_read(file):
    path = file("a.csv", "1," * (1 << 20))
    with pytest.raises(InputError, match="expected at most 1,048,960 bytes, got 2,097,152"):
        read_csv(path, FLOAT)


def test_bytes_that_are_no_text_are_refused(file):
    with pytest.raises(InputError, match="expected UTF-8 text"):
        read_csv(file("a.csv", b"\xff\xfe1,2"), FLOAT)


def test_labels_are_lines(file):
    assert read_labels(file("labels.txt", "cat\ndog\n\nbird \n\n")) == ["cat", "dog", "", "bird"]


def test_labels_are_one_per_value_of_the_first_output():
    with pytest.raises(ShapeError) as caught:
        check_labels(["a", "b"], [SCORES])
    assert str(caught.value) == (
        "expected 4 labels, one per value of output 'y' (int8[1,4]), got 2"
    )
