"""FileLoader and AutoStorage: blocks, alignment, and nothing left open."""

import builtins
import errno
import gc
import io
import os
import sys
import weakref

import numpy as np
import pytest

import arenite as ar
from arenite.mnn import AutoStorage, FileLoader
from arenite.mnn.session import file_loader as module
from tests.mnn import nets
from tests.shared import ROOT

SHARED = sorted(ROOT.glob("models/mnn/*.mnn"))


def loaded(path) -> AutoStorage:
    storage = AutoStorage()
    with FileLoader(path) as loader:
        loader.read()
        loader.merge(storage)
    return storage


@pytest.fixture
def opened(monkeypatch):
    """Every file that is opened, to be asked whether it is closed."""
    files = []
    real = builtins.open

    def opening(*args, **kwargs):
        file = real(*args, **kwargs)
        files.append(file)
        return file

    monkeypatch.setattr(builtins, "open", opening)
    return files


@pytest.fixture
def blocks(monkeypatch):
    """Weak references to the memory of every block."""
    references = []

    class Watched(AutoStorage):
        def __init__(self, size=None):
            super().__init__(size)
            references.append(weakref.ref(self))

    monkeypatch.setattr(module, "AutoStorage", Watched)
    return references


def alive(references) -> int:
    gc.collect()
    return sum(reference() is not None for reference in references)


# -- what it reads -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 12288, 20000])
def test_merged_blocks_are_the_file(tmp_path, size):
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    path = tmp_path / "file"
    path.write_bytes(data)
    assert loaded(path).get().tobytes() == data


@pytest.mark.parametrize(("size", "count"), [(0, 1), (4095, 1), (4096, 2), (4097, 2), (8192, 3)])
def test_a_file_is_read_in_blocks_of_4096_bytes_until_one_is_not_full(
    tmp_path, blocks, size, count
):
    path = tmp_path / "file"
    path.write_bytes(bytes(size))
    with FileLoader(path) as loader:
        loader.read()
        assert loader.size() == size
        assert alive(blocks) == count


@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.stem)
def test_the_loader_gives_the_bytes_that_ar_load_reads(path, monkeypatch):
    read = []
    monkeypatch.setattr("arenite.mnn.lowering.models.read", lambda data, **_: read.append(data))
    ar.load(path)
    assert loaded(path).get().tobytes() == read[0]


@pytest.mark.parametrize("size", [1, 31, 32, 4096, 100_001])
def test_storage_starts_at_a_multiple_of_32(size):
    assert AutoStorage(size).get().ctypes.data % 32 == 0


@pytest.mark.parametrize("align", [1, 32, 64, 4096])
def test_storage_starts_at_a_multiple_of_another_number(align):
    storage = AutoStorage(100, align=align)
    assert storage.get().ctypes.data % align == 0
    storage.reset(7, align)
    assert (storage.get().ctypes.data % align, storage.size()) == (0, 7)


@pytest.mark.parametrize("align", [0, -32, 48])
def test_an_alignment_is_a_power_of_two(align):
    with pytest.raises(ValueError, match=f"expected a power of two, got {align}"):
        AutoStorage(100, align=align)


def test_storage_is_replaced_cleared_and_released_as_a_whole():
    storage = AutoStorage()
    assert (storage.get(), storage.size()) == (None, 0)
    storage.reset(3)
    storage.get()[...] = 7
    storage.clear()
    assert storage.get().tolist() == [0, 0, 0]
    storage.release()
    assert (storage.get(), storage.size()) == (None, 0)


def test_whoever_has_the_bytes_keeps_them_when_the_storage_is_released():
    storage = AutoStorage(2)
    data = storage.get()
    data[...] = 5
    storage.release()
    assert data.tolist() == [5, 5]


# -- what it leaves behind -----------------------------------------------------------------


def test_success_leaves_no_file_and_no_block(tmp_path, opened, blocks):
    path = tmp_path / "model.mnn"
    path.write_bytes(nets.chain_net())
    storage = loaded(path)
    assert storage.size() == path.stat().st_size
    assert [file.closed for file in opened] == [True]
    assert alive(blocks) == 0


class Failing(io.BytesIO):
    """A file that breaks on its third block."""

    def readinto(self, buffer):
        if self.tell() >= 8192:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().readinto(buffer)


def test_a_read_error_says_where_and_leaves_nothing(tmp_path, monkeypatch, blocks):
    file = Failing(bytes(20000))
    monkeypatch.setattr("arenite.mnn.session.file_loader.open_regular", lambda _: file)
    loader = FileLoader("broken.mnn")
    with pytest.raises(OSError, match="read error after 8192 bytes") as caught:
        loader.read()
    assert (caught.value.errno, caught.value.filename) == (errno.EIO, "broken.mnn")
    del caught
    assert file.closed
    assert not loader.valid()
    assert alive(blocks) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux")
def test_a_file_that_the_system_cannot_read_is_a_read_error():
    with (
        FileLoader("/proc/self/mem") as loader,
        pytest.raises(OSError, match="read error after 0 bytes"),
    ):
        loader.read()


@pytest.mark.parametrize("call", ["read", "merge"])
def test_no_memory_leaves_nothing(tmp_path, opened, blocks, monkeypatch, call):
    path = tmp_path / "file"
    path.write_bytes(bytes(10000))
    loader = FileLoader(path)
    if call == "merge":
        loader.read()

    class Full(AutoStorage):
        def __init__(self, size=None):
            raise MemoryError

        def reset(self, size):
            raise MemoryError

    monkeypatch.setattr(module, "AutoStorage", Full)
    with pytest.raises(MemoryError):
        loader.read() if call == "read" else loader.merge(Full.__new__(Full))
    assert opened[0].closed
    assert not loader.valid()
    assert alive(blocks) == 0


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.mnn"):
        FileLoader(tmp_path / "nowhere.mnn")


def test_calls_in_the_wrong_order_are_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    loader = FileLoader(path)
    with pytest.raises(ar.StateError, match=r"read\(\) comes before merge\(\)"):
        loader.merge(AutoStorage())
    loader.read()
    with pytest.raises(ar.StateError, match="was read before"):
        loader.read()
    loader.close()
    loader.close()
    with pytest.raises(ar.StateError, match="is closed"):
        loader.read()


def test_its_repr_names_the_file_and_what_was_read(tmp_path):
    (tmp_path / "x.mnn").write_bytes(b"12345")
    with FileLoader(tmp_path / "x.mnn") as loader:
        assert repr(loader).endswith("x.mnn': open, 0 bytes read>")
        loader.read()
        assert "5 bytes read" in repr(loader)
    assert ": closed, " in repr(loader)


def test_calls_say_that_they_succeeded_as_those_of_mnn_do(tmp_path):
    (tmp_path / "x.mnn").write_bytes(b"12345")
    storage = AutoStorage(1)
    with FileLoader(tmp_path / "x.mnn") as loader:
        assert loader.read() is True
        assert loader.merge(storage) is True
    assert storage.get()[:5].tobytes() == b"12345"
