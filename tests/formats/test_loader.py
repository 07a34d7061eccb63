"""``load`` takes a path or a buffer, and says what a file is when it is no model."""

import mmap
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.files import read_whole
from arenite.formats import load, loader, tflite
from arenite.model import Model
from tests.formats.models import small
from tests.same import assert_same


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "small.tflite"
    file.write_bytes(tflite.write(small()))
    return file


def test_path_string_and_bytes_load_the_same(path: Path) -> None:
    data = path.read_bytes()
    for source in (path, str(path), data, bytearray(data), memoryview(data)):
        assert_same(load(source), tflite.read(data))


def owner_of_constants(model: Model) -> object:
    owner: object = model.main.tensors[1].data
    while isinstance(owner, np.ndarray | memoryview):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return owner


def test_a_path_is_read_and_becomes_the_source(path: Path) -> None:
    model = load(path)
    assert model.source == str(path)
    assert isinstance(owner_of_constants(model), bytes)


def test_a_path_is_mapped_on_request(path: Path) -> None:
    model = load(path, mmap=True)
    assert_same(model, load(path))
    assert isinstance(owner_of_constants(model), mmap.mmap)


def test_windows_has_no_option_for_file_descriptors_of_mappings(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def windows_mmap(fileno: int, length: int, tagname: object = None, *, access: int) -> mmap.mmap:
        return mmap.mmap(fileno, length, access=access)

    monkeypatch.setattr("arenite.formats.loader.sys.platform", "win32")
    monkeypatch.setattr("arenite.formats.loader.Mapping", windows_mmap)
    assert isinstance(owner_of_constants(load(path, mmap=True)), mmap.mmap)


def test_a_file_that_is_cut_after_loading_leaves_the_model_whole(path: Path) -> None:
    model, before = load(path), load(path.read_bytes())
    os.truncate(path, 0)
    assert_same(model, before)
    assert_same(pickle.loads(pickle.dumps(model)), before)


@pytest.mark.parametrize("suffix", [".tflite", ".mnn"])
def test_an_empty_file_cannot_be_mapped(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"empty{suffix}").touch()
    with pytest.raises(ModelError, match="got an empty one"):
        load(tmp_path / f"empty{suffix}", mmap=True)


def test_a_file_that_is_cut_while_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.truncate(path, size := 1 << 20)

    def cut(file: Any) -> bytes:
        with monkeypatch.context() as context:
            whole = os.fstat(file.fileno())
            context.setattr(os, "fstat", lambda _: whole)
            os.truncate(path, 100)
            return read_whole(file)

    monkeypatch.setattr(loader, "read_whole", cut)
    with pytest.raises(
        ModelError, match=rf"expected {size} bytes, its size, got \d+: it was changed"
    ):
        load(path)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts in /proc")
def test_a_loaded_model_holds_no_file(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    model = load(path)
    assert len(os.listdir("/proc/self/fd")) == before
    del model


def test_what_is_no_model_is_not_read_to_its_end(tmp_path: Path) -> None:
    with open(tmp_path / "disk.img", "wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(ModelError, match="got one that begins with"):
        load(tmp_path / "disk.img")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected a TensorFlow Lite or MNN file, got an empty one"),
        (b"\x08\x07\x12\x07pytorch", "got a protocol buffer (such as an ONNX model"),
        (b"PK\x03\x04 and more", "got a zip archive (such as a Keras or PyTorch model)"),
        (b"\x89HDF\r\n\x1a\n", "got an HDF5 file"),
        (b"GGUF\3\0\0\0", "got a GGUF file"),
        (b"\x89PNG\r\n\x1a\n", "got a PNG image"),
        (b"hello", "got one that begins with b'hello' (bytes 4 to 7 should be b'TFL3', or"),
    ],
)
def test_content_that_is_no_model(content: bytes, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(content)
    assert message in str(caught.value)


def test_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.tflite").touch()
    with pytest.raises(ModelError, match=r"in '.*empty\.tflite', got an empty one"):
        load(tmp_path / "empty.tflite")


def test_a_truncated_file_is_called_that(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(
        ModelError, match=r"small\.tflite' is truncated or damaged: .* \(byte \d+\)"
    ):
        load(path)


@pytest.mark.parametrize("source", [None, 3, [1, 2]])
def test_what_is_neither_path_nor_bytes_is_refused(source: object) -> None:
    kind = type(source).__name__
    with pytest.raises(TypeError, match=f"expected a model file's path or its bytes, got {kind}"):
        load(source)  # type: ignore[arg-type]


def test_a_file_named_mnn_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "kws.mnn").write_bytes(bytes(64))
    with pytest.raises(ModelError, match="not an MNN model, or an encrypted or damaged one"):
        load(tmp_path / "kws.mnn")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.tflite"):
        load(tmp_path / "missing.tflite")


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"Is a directory|Permission denied"):
        load(tmp_path)
