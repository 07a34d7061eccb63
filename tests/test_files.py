"""What is read is a regular file; what is written is there whole, or not at all."""

import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

import arenite as ar
from arenite.errors import FileChangedError
from arenite.files import open_regular, read_whole, replacing
from arenite.mnn.session.file_loader import FileLoader

posix_only = pytest.mark.skipif(os.name != "posix", reason="kinds of files of POSIX")

# -- reading -----------------------------------------------------------------------------


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "socket"))
    return folder / "socket"


OTHERS = [
    (pipe, "expected a regular file, got a named pipe"),
    (a_socket, "expected a regular file, got a socket"),
    (lambda _: Path("/dev/zero"), "expected a regular file, got a character device"),
    (lambda folder: folder, "Is a directory"),
]


@posix_only
@pytest.mark.parametrize("read", [open_regular, ar.load, FileLoader], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("make", "message"), OTHERS, ids=["pipe", "socket", "device", "folder"])
def test_what_is_no_regular_file_is_called_what_it_is(read, make, message):
    with tempfile.TemporaryDirectory() as folder:  # a socket's path has to be short
        path = make(Path(folder))
        with pytest.raises(OSError, match=message) as caught:
            read(path)
        assert caught.value.filename == str(path)


@pytest.mark.parametrize("buffering", [-1, 0])
def test_a_file_is_read_to_its_end(tmp_path, buffering):
    (tmp_path / "x").write_bytes(b"12345678")
    with open_regular(tmp_path / "x", buffering=buffering) as file:
        assert read_whole(file) == b"12345678"


def test_a_file_that_comes_in_pieces_is_read_to_its_end(tmp_path):
    (tmp_path / "x").write_bytes(b"12345678")
    with open_regular(tmp_path / "x", buffering=0) as file:

        class Slow:
            name, fileno = file.name, file.fileno

            def read(self, count):
                return file.read(min(count, 3))

        assert read_whole(Slow()) == b"12345678"


def test_a_file_without_a_size_does_not_pass_for_empty():
    if not Path("/proc/self/status").exists():
        pytest.skip("there is no /proc")
    with open_regular("/proc/self/status") as file, pytest.raises(FileChangedError, match="got mo"):
        read_whole(file)


# -- writing -----------------------------------------------------------------------------


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, data=b"new"):
    with replacing(path) as file:
        file.write(data)


def test_a_new_file_gets_its_content_and_the_permissions_of_any_new_file(tmp_path):
    write(tmp_path / "x")
    (tmp_path / "y").touch()
    assert (tmp_path / "x").read_bytes() == b"new"
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode
    assert names(tmp_path) == ["x", "y"]


@posix_only
def test_a_file_is_replaced_and_its_permissions_stay(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o640)
    write(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, ValueError])
def test_after_an_error_the_file_is_what_it_was_and_nothing_else_is_left(tmp_path, error):
    (tmp_path / "x").write_bytes(b"old")
    with suppress(error), replacing(tmp_path / "x") as file:
        file.write(b"half")
        raise error
    assert (tmp_path / "x").read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


def test_whoever_reads_the_old_file_keeps_it(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    with open(tmp_path / "x", "rb") as reader:
        write(tmp_path / "x")
        assert reader.read() == b"old"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "link").symlink_to("x")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "x").read_bytes() == b"new"


@posix_only
def test_a_device_is_written_and_stays(tmp_path):
    (tmp_path / "x").symlink_to("/dev/null")
    write(tmp_path / "x")
    assert stat.S_ISCHR((tmp_path / "x").stat().st_mode)


def test_a_full_disk_leaves_nothing(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    (tmp_path / "x").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        write(tmp_path / "x")
    assert names(tmp_path) == ["x"]


def test_a_missing_folder_and_a_directory_are_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "none" / "x")
    assert caught.value.filename == str(tmp_path / "none" / "x")
    with pytest.raises(IsADirectoryError):
        write(tmp_path)
