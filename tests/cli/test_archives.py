"""Archives from anybody, through every command that takes one: little memory, an error in words."""

import os
import struct
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

from arenite.analysis.inputs.files import read_inputs
from arenite.analysis.inputs.values import InputError
from tests.cli.exit_codes import error_of
from tests.cli.models import classifier, saved
from tests.fuzz.archives import Member, npy, written

X = classifier().inputs[0]
VALUES = np.zeros(X.shape, X.type.dtype)
MOST_BYTES = 8 << 20


@pytest.fixture
def files(tmp_path):
    """A model, a sound input, and where the archive goes."""
    np.save(tmp_path / "x.npy", VALUES)
    return saved(classifier(), tmp_path / "m.tflite"), tmp_path / "x.npy", tmp_path / "a.npz"


def commands(files):
    model, x, archive = files
    return {
        "run": ("run", model, "--input", archive),
        "evaluate": ("evaluate", model, archive),
        "compare": ("compare", model, archive, "--input", x),
    }


#: Starts a command from a small process: a child counts what its parent had as its own.
LAUNCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def taken(files, command):
    """Bytes that a command's process takes at most, and what it says."""
    arguments = [sys.executable, "-m", "arenite", *map(str, commands(files)[command])]
    launcher = [sys.executable, "-c", LAUNCHER, *arguments]
    done = subprocess.run(launcher, capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout), done.stderr


LARGE = 1 << 27


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    """Archives that say, and have, much more than they take as files."""
    folder = tmp_path_factory.mktemp("bombs")
    header = b"\x93NUMPY\2\0" + struct.pack("<I", LARGE)
    contents = {"header": header + b" " * LARGE, "zeros": npy(np.zeros(LARGE, np.uint8))}
    for name, content in contents.items():
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("0.npy", content)
    return folder


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="says what one child has taken")
@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        ("run", "header", "expected a header of at most 10000 bytes"),
        ("evaluate", "header", "expected a header of at most 10000 bytes"),
        ("compare", "zeros", f"tensor 0: expected {VALUES.nbytes} bytes, got {LARGE}"),
    ],
)
def test_a_small_archive_takes_little_memory_whatever_it_says(files, bombs, command, name, words):
    files[2].write_bytes((bombs / name).read_bytes())
    assert files[2].stat().st_size < 1 << 20
    memory, error = taken(files, command)
    assert words in error
    assert error.count("\n") == 1
    assert memory < LARGE


def member(content=None, name=b"0.npy", **said):
    return Member(name, npy(VALUES) if content is None else content, **said)


def header(descr="'|i1'", shape=str(VALUES.shape), length=None):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text) if length is None else length) + text


CUT = npy(VALUES)[:-1]
BROKEN = {
    "nothing": (b"", "not a"),
    "cut off": (written([member()])[:-30], "not a readable .npz archive"),
    "two of one name": (written([member(), member()]), "expected one array '0', got two"),
    "encrypted": (written([member(flags=1)]), "it is encrypted"),
    "strongly encrypted": (written([member(flags=64)]), "it is encrypted"),
    "bzip2": (written([member(method=12)]), "got method 12"),
    "LZMA": (written([member(method=14)]), "got method 14"),
    "says a terabyte": (written([member(size=1 << 40)]), "cannot become the 1099511627776"),
    "zip64 says an exabyte": (written([member(size=1 << 60, wide=True)]), "cannot become"),
    "says less": (written([member(size=20)]), "not a readable .npz archive"),
    "thousands": (
        written([member(b"", b"%d.npy" % n, method=0) for n in range(20_000)]),
        "expected at most 16384 members, got 20000",
    ),
    "a long list": (
        written([member(b"", b"%060000d.npy" % n, method=0) for n in range(40)]),
        "expected a list of members of at most",
    ),
    "values cut off": (written([member(CUT)]), "bytes of values, got"),
    "a long header": (written([member(header(length=65535))]), "a header of at most 10000 bytes"),
    "nested": (written([member(header(shape="(" * 9000))]), "expected a header of descr"),
    "an expression": (written([member(header(shape="(9**9**9,)"))]), "expected a header of descr"),
    "a field": (written([member(header("[('a', '|i1')]"))]), "expected an element type"),
    "long numbers": (
        written([member(header(shape=f"({'9' * 5000},)"))]),
        "expected a header of descr",
    ),
    "many axes": (written([member(header(shape=f"({'1,' * 200})"))]), "at most 32 axes"),
    "no bytes": (written([member(header("'<U0'"))]), "at least one byte"),
    "rows of nothing": (written([member(header(shape="(4611686018427387904, 0)"))]), "got none"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("command", ["run", "evaluate", "compare"])
def test_a_hostile_archive_is_refused_in_words(arenite, files, kind, command):
    content, words = BROKEN[kind]
    files[2].write_bytes(content)
    result = arenite(*commands(files)[command])
    assert result.exit_code == error_of(command), result.stdout
    if kind != "nothing":
        assert words in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 1000


@pytest.mark.parametrize("kind", ["says a terabyte", "zip64 says an exabyte", "a long list"])
def test_nothing_is_allocated_for_what_an_archive_says(files, kind):
    files[2].write_bytes(BROKEN[kind][0])
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_inputs(classifier(), [files[2]])
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


def test_objects_are_refused_and_not_unpickled(arenite, files):
    files[2].write_bytes(written([member(npy(np.full(X.shape, print, object)))]))
    for command, words in (
        ("run", "got object"),
        ("evaluate", "a pickle"),
        ("compare", "expected"),
    ):
        result = arenite(*commands(files)[command])
        assert (result.exit_code, words in result.stderr) == (error_of(command), True)


@pytest.mark.parametrize(
    "array",
    [np.asfortranarray(VALUES), VALUES.astype(">f8"), VALUES.astype("<f2")],
    ids=["Fortran order", "big endian", "halves"],
)
def test_arrays_of_any_order_are_read(arenite, files, array):
    files[2].write_bytes(written([member(npy(array), b"x.npy")]))
    result = arenite(*commands(files)["run"])
    assert result.exit_code == 0, result.stderr


def test_paths_as_names_are_names(arenite, files):
    names = [b"/etc/passwd.npy", b"../../x.npy", b"C:\\x.npy"]
    files[2].write_bytes(written([member(name=name) for name in names]))
    result = arenite(*commands(files)["run"])
    assert "got '/etc/passwd', '../../x', 'C:" in result.stderr.replace("\n", "")
    files[2].write_bytes(written([member(name=names[0])]))
    assert arenite(*commands(files)["run"]).exit_code == 0
    assert sorted(path.name for path in files[2].parent.iterdir()) == ["a.npz", "m.tflite", "x.npy"]


def test_text_that_is_none_is_refused(arenite, files):
    content = header("'<U1'", "(1,)") + struct.pack("<I", 0x110000)
    x = npy(np.zeros((1, *X.shape[1:]), X.type.dtype))
    files[2].write_bytes(written([member(x, b"x.npy"), member(content, b"y.npy")]))
    result = arenite(*commands(files)["evaluate"])
    assert (result.exit_code, result.stderr.count("\n")) == (error_of("evaluate"), 1)
    assert "expected text, got the character 0x110000" in result.stderr
