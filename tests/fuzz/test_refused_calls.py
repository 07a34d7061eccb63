"""The system refuses the n-th open, read, write, rename ...: one error, and nothing is lost.

A file that was there stays as it was, nobody finds half a file or a temporary one, and what was
loaded before still works.
"""

import errno
import gc
import os
import pickle
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import arenite as ar
from arenite import mnn
from arenite.cli import app
from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.mnn.session.file_loader import FileLoader
from tests.cli.models import classifier
from tests.fuzz.faults import refusals
from tests.mnn.nets import chain_net

# A file whose close was refused is closed when it is put away.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)


@pytest.fixture(autouse=True)
def _put_away() -> Iterator[None]:
    """Tracebacks in cycles hold such files: none shall wait for the test of something else."""
    yield
    gc.collect()


IMAGE = np.random.default_rng(0).integers(0, 256, (8, 8), np.uint8)
MODEL = classifier()
INTERPRETER = ar.Interpreter(MODEL)
X = (IMAGE ^ 0x80).view(np.int8).reshape(1, 8, 8, 1)
Y = INTERPRETER(X)


def samples() -> ar.Model:
    """A model that takes raw samples of sound."""
    b = ar.ModelBuilder()
    x, y = b.input("sound", (1, 64), "float32"), b.tensor("y", (1, 64), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    return b.build()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Models, inputs of every kind, and outputs of a former run."""
    (tmp_path / "m.tflite").write_bytes(tflite.write(MODEL))
    (tmp_path / "sound.tflite").write_bytes(tflite.write(samples()))
    (tmp_path / "m.mnn").write_bytes(chain_net())
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", image=X)
    np.savetxt(tmp_path / "x.csv", X.reshape(1, -1), fmt="%d", delimiter=",")
    (tmp_path / "labels.txt").write_text("a\nb\nc\nd\n")
    with wave.open(str(tmp_path / "x.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(np.arange(64, dtype=np.int16).tobytes())
    for name in ("y.npz", "map.svg", "y.mnn"):
        (tmp_path / name).write_bytes(b"what was there")
    try:
        from PIL import Image
    except ImportError:
        return tmp_path
    Image.fromarray(IMAGE).save(tmp_path / "x.png")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


Place = Callable[[str], Path]
Attempt = Callable[[Place], Any]


def command(*words: str) -> Attempt:
    """A command; words with a dot are files."""

    def run(at: Place) -> None:
        arguments = [str(at(word)) if "." in word else word for word in words]
        done = CliRunner().invoke(app, arguments)
        if done.exit_code == 0:
            return
        assert isinstance(done.exception, SystemExit), done.exception
        assert done.exit_code == 1, done.stderr
        lines = done.stderr.splitlines()
        assert lines[0].startswith("error: "), done.stderr
        assert len(lines) == 1, done.stderr
        raise Refused(lines[0])

    return run


class Refused(Exception):  # noqa: N818 - not an error of the test
    """A command ended with an error in one line."""


def loader(at: Place) -> None:
    with FileLoader(at("m.mnn")) as file:
        file.read()


def update(at: Place) -> None:
    net = mnn.Interpreter(str(at("m.mnn")))
    session = net.createSession({})
    net.updateSessionToModel(session, str(at("y.mnn")))


ATTEMPTS: dict[str, Attempt] = {
    "load": lambda at: ar.load(at("m.tflite")),
    "load mapped": lambda at: ar.load(at("m.tflite"), mmap=True),
    "load .mnn": lambda at: ar.load(at("m.mnn")),
    "Interpreter": lambda at: ar.Interpreter(at("m.tflite")),
    "pickle of a mapped model": lambda at: pickle.dumps(ar.load(at("m.tflite"), mmap=True)),
    "smallest_arena": lambda at: ar.smallest_arena(at("m.tflite")),
    "FileLoader": loader,
    "mnn.Interpreter": lambda at: mnn.Interpreter(str(at("m.mnn"))),
    "updateSessionToModel": update,
    "info": command("info", "m.tflite"),
    "info .mnn": command("info", "m.mnn"),
    "memory": command("memory", "m.tflite"),
    "memory --svg": command("memory", "m.tflite", "--svg", "map.svg"),
    "cost": command("cost", "m.tflite"),
    "explain": command("explain", "m.tflite"),
    "explain --input": command("explain", "m.tflite", "--op", "0", "--input", "x.npy"),
    "run": command("run", "m.tflite"),
    "run .npy": command("run", "m.tflite", "--input", "x.npy"),
    "run .npz": command("run", "m.tflite", "--input", "x.npz"),
    "run .csv": command("run", "m.tflite", "--input", "x.csv"),
    "run .png": command("run", "m.tflite", "--input", "x.png"),
    "run .wav": command("run", "sound.tflite", "--input", "x.wav"),
    "run --labels": command("run", "m.tflite", "--labels", "labels.txt"),
    "run --output": command("run", "m.tflite", "--output", "y.npz"),
}
WRITES = {"memory --svg": "map.svg", "run --output": "y.npz", "updateSessionToModel": "y.mnn"}


#: Reading meets a broken disk, writing a full one as well.
CASES = [(name, errno.EIO) for name in ATTEMPTS] + [(name, errno.ENOSPC) for name in WRITES]


def parsed(path: Path) -> Any:
    """What a file says: zip files say one thing in several ways."""
    if path.suffix != ".npz":
        return path.read_bytes()
    with np.load(path) as arrays:
        return {name: array.tolist() for name, array in arrays.items()}


@pytest.mark.parametrize(
    ("name", "code"), CASES, ids=[f"{name}-{errno.errorcode[code]}" for name, code in CASES]
)
def test_every_refusal_of_the_system(name: str, code: int, folder: Path) -> None:
    before, places, number = contents(folder), 0, 1
    ATTEMPTS[name](lambda file: folder / file)
    target = WRITES.get(name, "")
    whole = parsed(folder / target) if target else None
    while True:
        if target:
            (folder / target).write_bytes(before[target])
        trap = refusals(OSError(code, os.strerror(code)))
        try:
            trap.call(lambda: ATTEMPTS[name](lambda file: folder / file), number)
            is_through = True
        except (OSError, AreniteError, Refused) as error:
            assert trap.sprung, error
            assert str(error), error
            is_through = False
        after = contents(folder)
        if is_through and target:
            assert parsed(folder / target) == whole
            after[target] = before[target]
        assert after == before
        np.testing.assert_array_equal(INTERPRETER(X), Y)
        if not trap.sprung:
            break
        places, number = places + 1, number + (1 if places < 20 else 4)
    assert places >= 3
