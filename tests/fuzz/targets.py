"""What coverage-guided fuzzing runs: functions of bytes that say what came of them.

They need no fuzzer: the tests run them on every file of ``tests/fuzz/corpus``.
"""

import struct
import tempfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arenite.analysis.engines.dumps import read_dump
from arenite.analysis.evaluation.data import Reading, data_of
from arenite.analysis.inputs.files import read_inputs
from arenite.errors import AreniteError, ModelError
from arenite.formats.flatbuffer.schema import DTYPES, SCALARS
from arenite.formats.tflite_schema import SCHEMA
from arenite.mnn.lowering import models
from arenite.model import Model, ModelBuilder
from tests.fuzz import archives, manifests, nets, structure, trial
from tests.fuzz.cases import MAX_WRITTEN
from tests.fuzz.rows import Place, copied, places, rows_of, schema_of, write
from tests.fuzz.seeds import mnn_nets, tflite_models
from tests.fuzz.values import fitted

CORPUS = Path(__file__).parent / "corpus"
Target = Callable[[bytes], str]

# -- files of models ------------------------------------------------------------------------


def model_file(data: bytes) -> str:
    """A model's file, of any kind."""
    return trial.outcome(data, zlib.crc32(data))


def mutated(data: bytes, seed: int) -> bytes | None:
    """A file after changes of what it means; None where it is too broken for that."""
    rng = np.random.default_rng(seed)
    try:
        root = rows_of(data)
        if schema_of(data) is SCHEMA:
            return structure.mutant(root, lambda rng: rows_of(_some(rng)), rng)
        return nets.mutant(root, rng)
    except (AreniteError, KeyError, TypeError, ValueError, AssertionError):
        return None


def _some(rng: np.random.Generator) -> bytes:
    files = _files()[0]
    return files[int(rng.integers(len(files)))]


@cache
def _files() -> tuple[list[bytes], list[bytes]]:
    found = (list(make().values()) for make in (tflite_models, mnn_nets))
    tflite, net = ([data for data in files if len(data) <= MAX_WRITTEN] for files in found)
    return tflite, net


# -- tables of options ----------------------------------------------------------------------


def options(data: bytes) -> str:
    """A sound model whose options, or a sound net whose parameters, are these bytes."""
    if len(data) < 3:
        return "too short"
    files = _files()[data[0] % 2]
    file = files[int.from_bytes(data[1:3], "little") % len(files)]
    root, rest = copied(rows_of(file)), data[3:]
    for place in _options_of(root, schema_of(file)):
        if not rest:
            break
        rest = _filled(place, rest)
    try:
        return model_file(write(schema_of(file), root))
    except ModelError:
        return "cannot be written"


def _options_of(root: Any, schema: Any) -> list[Place]:
    if schema is SCHEMA:
        rows = [op for subgraph in root["subgraphs"] for op in subgraph["operators"] or []]
        return [p for op in rows for p in places(SCHEMA, op, "Operator") if p.row is not op]
    rows = root["oplists"]
    return [p for op in rows for p in places(models.SCHEMA, op, "Op") if p.row is not op]


def _filled(place: Place, data: bytes) -> bytes:
    """Take a field's new value from the bytes, if the first one is odd; what is left of them."""
    row, name, kind = place
    wanted, data = data[0] % 2, data[1:]
    element = kind.strip("[]")
    if not wanted or element not in SCALARS:
        return data
    size = SCALARS[element].size
    count = min(data[0], 8) if kind.startswith("[") and data else 1
    data = data[1:] if kind.startswith("[") else data
    taken, data = data[: size * count], data[size * count :]
    words = np.frombuffer(taken[: len(taken) // size * size], DTYPES[element]).tolist()
    if kind.startswith("["):
        row[name] = tuple(fitted(element, word) for word in words)
    elif words:
        row[name] = fitted(element, words[0])
    return data


# -- inputs ---------------------------------------------------------------------------------

SUFFIXES = (".npy", ".npz", ".csv", ".png", ".bmp", ".jpg", ".wav")


def inputs(data: bytes) -> str:
    """The file of a model's input: the first two bytes say of which kind, and for which model."""
    if len(data) < 2:
        return "too short"
    model = _models()[data[1] % len(_models())]
    path = _folder() / f"x{SUFFIXES[data[0] % len(SUFFIXES)]}"
    path.write_bytes(data[2:])
    return _read(lambda: read_inputs(model, [path]))


def _read(read: Callable[[], object]) -> str:
    """What reading a file came to: an error of ours by its name, any other is a finding."""
    try:
        read()
    except (AreniteError, OSError) as error:
        return type(error).__name__
    except Exception as error:
        return trial.foreign(error)
    return "read"


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="arenite-fuzz-"))


@cache
def _models() -> list[Model]:
    shapes = (((1, 4, 4, 3), "int8"), ((1, 6), "float32"), ((1, 16), "int16"), ((8, 8), "uint8"))
    models = []
    for shape, kind in shapes:
        b = ModelBuilder()
        b.output(b.input("x", shape, kind, scale=None if kind == "float32" else 1 / 128))
        models.append(b.build())
    return models


# -- archives -------------------------------------------------------------------------------


def archive(data: bytes) -> str:
    """An archive of arrays: the first byte says who reads it and for which model, the second
    whether the rest is the file itself or what its members are."""
    if len(data) < 2:
        return "too short"
    model = _models()[data[0] // 6 % len(_models())]
    kind = data[0] % 6
    path = _folder() / ("x.npy" if kind == 3 else "x.npz")
    content = data[2:]
    if not data[1] % 2 and kind != 3:
        content = archives.written(list(archives.members_of(content)))
    path.write_bytes(content)
    if kind == 1:
        return _read(lambda: read_dump(path, model))
    if kind == 2:
        return _read(lambda: data_of(path, model, Reading()))
    return _read(lambda: read_inputs(model, [path]))


# -- manifests ------------------------------------------------------------------------------


def manifest(data: bytes) -> str:
    """The ``arenite.json`` of a folder, which is read, shown and exported into."""
    try:
        return manifests.outcome(data, _folder() / "m")
    except (AreniteError, OSError) as error:
        return type(error).__name__
    except Exception as error:
        return trial.foreign(error)


#: How files of targets that have a meaning are changed.
MUTATORS: Mapping[str, Callable[[bytes, int], bytes | None]] = {
    "tflite": mutated,
    "mnn": mutated,
    "manifests": manifests.mutated,
}
TARGETS: Mapping[str, Target] = {
    "tflite": model_file,
    "mnn": model_file,
    "options": options,
    "inputs": inputs,
    "archives": archive,
    "manifests": manifest,
}


def seeds(target: str) -> list[bytes]:
    """Where fuzzing begins: sound files."""
    if target in ("tflite", "mnn"):
        return _files()[target == "mnn"]
    if target == "options":
        numbers = range(0, 400, 3)
        return [struct.pack("<BH", n % 2, n) + bytes([1, n % 7] * 12) for n in numbers]
    if target == "archives":
        return archives.seeds()
    if target == "manifests":
        return manifests.seeds()
    return _sound_inputs()


def _sound_inputs() -> list[bytes]:
    import io

    x = np.arange(48, dtype=np.int8).reshape(1, 4, 4, 3)
    npy, npz = io.BytesIO(), io.BytesIO()
    np.save(npy, x)
    np.savez_compressed(npz, x=x)
    found = [b"\0\0" + npy.getvalue(), b"\1\0" + npz.getvalue(), b"\2\1a,b\n1,2,3\n4;5e3,-inf\n"]
    try:
        from PIL import Image
    except ImportError:
        return found
    image = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    for number, kind in ((3, "png"), (4, "bmp"), (5, "jpeg")):
        file = io.BytesIO()
        image.save(file, kind)
        found.append(bytes([number, 0]) + file.getvalue())
    wav = struct.pack(
        "<4sI8sIHHIIHH4sI", b"RIFF", 68, b"WAVEfmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", 32
    )
    return [*found, b"\6\2" + wav + bytes(range(32))]
