"""Finished chunks of an evaluation in a file, so that a second run does the rest.

The file is a line that says what it is, and records; it only grows. A record is the length of its
content, a digest, and the content. The first one is a JSON object of what the answers depend on
(:mod:`arenite.analysis.evaluation.identity`); every other one is a chunk: a JSON object and the
bytes of an array per engine. Nothing in it is run. A run that is killed leaves half a record at
most, which its digest tells: it and what follows is cut off by the next run.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from arenite.analysis.evaluation.bench import Answers
from arenite.errors import EvaluateError
from arenite.model.model import Array

_MAGIC = b"arenite evaluate: finished chunks 1\n"
_HEAD = struct.Struct("<Q32s")
_META = struct.Struct("<I")
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Answers of the engines for the samples from ``begin`` to ``end``."""

    begin: int
    end: int
    answers: Answers


@dataclass(eq=False)
class Kept:
    """A file of finished chunks, while it is open.

    Attributes:
        path: The file.
        chunks: Those that were in it, in the order of their samples.
        cut: Bytes at its end that were no whole record.
    """

    path: str
    chunks: tuple[Chunk, ...]
    cut: int
    _file: int = field(repr=False)
    _key: bytes = field(repr=False)

    def add(self, chunk: Chunk) -> None:
        """Append a chunk.

        Raises:
            OSError: It cannot be written.
        """
        with _named(self.path):
            _append(self._file, self._key, _packed(chunk))


@contextmanager
def kept_in(
    path: str, identity: Mapping[str, str], total: int, shapes: Sequence[Any]
) -> Iterator[Kept]:
    """Open a file of finished chunks, or begin it.

    Args:
        path: The file.
        identity: What the answers depend on, by name.
        total: How many samples there are.
        shapes: A row of every engine's answers: ``(classes,)``, or ``()`` for one number.

    Raises:
        EvaluateError: The file is of something else, is in use, or holds what no run writes.
        OSError: It cannot be read or written.
    """
    with _named(path):
        file = os.open(path, _FLAGS, 0o666)
    try:
        with _named(path):
            _require_ours(file, path)
            content = _Reader(file, path)
            key = _identified(content, path, identity)
            chunks = _chunks(content, key, total, shapes)
            cut = content.size - content.place
            os.ftruncate(file, content.place)
            os.lseek(file, 0, os.SEEK_END)
        yield Kept(path, tuple(sorted(chunks, key=lambda one: one.begin)), cut, file, key)
    finally:
        os.close(file)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """A full disk names no file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or path
        raise


def _require_ours(file: int, path: str) -> None:
    """A regular file that no other run has open."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise EvaluateError(f"{path}: expected a regular file to keep finished chunks in")
    try:
        import fcntl  # noqa: PLC0415 - POSIX
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise EvaluateError(f"{path}: another evaluation is using it") from error


def _identified(content: _Reader, path: str, identity: Mapping[str, str]) -> bytes:
    """The key of the file's records, whose identity is checked; a new file is begun."""
    key = hashlib.sha256(_MAGIC).digest()
    begun = content.take(min(len(_MAGIC), content.size))
    if not _MAGIC.startswith(begun):
        raise EvaluateError(
            f"{path}: expected a file that evaluate has written, or none, got another file"
        )
    said = content.record(key) if begun == _MAGIC else None
    if said is None:
        if content.is_longer_than_a_record():
            raise EvaluateError(f"{path}: its beginning is damaged; remove it to begin anew")
        os.ftruncate(content.file, 0)
        os.lseek(content.file, 0, os.SEEK_SET)
        said = json.dumps(dict(identity)).encode()
        _write(content.file, _MAGIC + _sealed(key, said))
        content.place = content.size = os.fstat(content.file).st_size
    _require_same(_object(said, path), identity, path)
    return hashlib.sha256(key + said).digest()


def _require_same(then: dict[str, Any], now: Mapping[str, str], path: str) -> None:
    names = [name for name in (*now, *(set(then) - set(now))) if then.get(name) != now.get(name)]
    if names:
        each = "; ".join(
            f"{name} was {str(then.get(name, 'not given'))[:200]} "
            f"and is {now.get(name, 'not given')}"
            for name in names
        )
        raise EvaluateError(
            f"{path}: expected finished chunks of this evaluation, got those of another: {each}; "
            "evaluate the same again, or name another file"
        )


def _chunks(content: _Reader, key: bytes, total: int, shapes: Sequence[Any]) -> list[Chunk]:
    """All chunks up to the first record that is not whole."""
    found: list[Chunk] = []
    is_done = np.zeros(total, bool)
    while True:
        place = content.place
        record = content.record(key)
        if record is None:
            return found
        try:
            chunk = _unpacked(record, total, shapes)
            if is_done[chunk.begin : chunk.end].any():
                raise ValueError("samples that were there before")
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise EvaluateError(
                f"{content.path}: byte {place}: expected a chunk as evaluate writes it, got {error}"
            ) from error
        is_done[chunk.begin : chunk.end] = True
        found.append(chunk)


# -- records -----------------------------------------------------------------------------


class _Reader:
    """A file read record by record; ``place`` is the end of the last whole one."""

    def __init__(self, file: int, path: str) -> None:
        self.file, self.path = file, path
        self.size, self.place = os.fstat(file).st_size, 0

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes, which must be there."""
        data = b""
        while len(data) < count and (more := os.read(self.file, count - len(data))):
            data += more
        self.place += len(data)
        return data

    def record(self, key: bytes) -> bytes | None:
        """The next record's content; None where there is no whole one."""
        begin = self.place
        if self.size - begin >= _HEAD.size:
            length, digest = _HEAD.unpack(self.take(_HEAD.size))
            if length <= self.size - self.place:
                content = self.take(length)
                if hashlib.sha256(key + content).digest() == digest:
                    return content
        self.place = begin
        os.lseek(self.file, begin, os.SEEK_SET)
        return None

    def is_longer_than_a_record(self) -> bool:
        """Whether the record that was not whole is more than one that was cut off."""
        if self.size - self.place < _HEAD.size:
            return False
        length, _ = _HEAD.unpack(self.take(_HEAD.size))
        return bool(length <= self.size - self.place)


def _sealed(key: bytes, content: bytes) -> bytes:
    return _HEAD.pack(len(content), hashlib.sha256(key + content).digest()) + content


def _append(file: int, key: bytes, content: bytes) -> None:
    _write(file, _sealed(key, content))


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _packed(chunk: Chunk) -> bytes:
    answers = chunk.answers
    arrays = [np.ascontiguousarray(one, one.dtype.newbyteorder("<")) for one in answers.values]
    meta = {
        "begin": chunk.begin,
        "end": chunk.end,
        "arrays": [one.dtype.str for one in arrays],
        "read_seconds": answers.read_seconds,
        "seconds": list(answers.seconds),
        "inferences": answers.inferences,
        "left_out": [list(one) for one in answers.left_out],
    }
    text = json.dumps(meta).encode()
    return b"".join([_META.pack(len(text)), text, *(one.tobytes() for one in arrays)])


def _object(text: bytes, path: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    raise EvaluateError(f"{path}: expected a JSON object at its beginning")


def _unpacked(content: bytes, total: int, shapes: Sequence[Any]) -> Chunk:
    """A chunk from its record; ValueError and its like say what is wrong."""
    if len(content) < _META.size:
        raise ValueError(f"{len(content)} bytes")
    place = _META.size + _META.unpack_from(content)[0]
    meta = json.loads(content[_META.size : place])
    begin, end = _integer(meta["begin"], total), _integer(meta["end"], total)
    if begin >= end:
        raise ValueError(f"samples {begin} to {end} of {total}")
    left_out = tuple((_integer(n, end - begin - 1), str(why)) for n, why in meta["left_out"])
    places = [n for n, _ in left_out]
    if places != sorted(set(places)):
        raise ValueError("a sample that is left out twice")
    answers = Answers(
        _arrays(content, place, meta["arrays"], end - begin - len(places), shapes),
        _seconds(meta["read_seconds"]),
        tuple(map(_seconds, meta["seconds"])),
        _integer(meta["inferences"], 1 << 62),
        left_out,
    )
    if len(answers.seconds) != len(shapes):
        raise ValueError(f"times of {len(answers.seconds)} engines")
    return Chunk(begin, end, answers)


def _arrays(
    content: bytes, place: int, dtypes: Sequence[str], rows: int, shapes: Sequence[Any]
) -> tuple[Array, ...]:
    if len(dtypes) != (len(shapes) if rows else 0):
        raise ValueError(f"answers of {len(dtypes)} engines")
    found = []
    for text, row in zip(dtypes, shapes, strict=False):
        dtype = np.dtype(str(text)[:8])
        if dtype.kind not in "biuf" or dtype.itemsize > np.dtype(np.float64).itemsize:
            raise ValueError(f"numbers of the type {dtype}")
        count = rows * prod(row)
        array = np.frombuffer(content, dtype, count, place).reshape(rows, *row)
        place += array.nbytes
        found.append(array.astype(dtype.newbyteorder("="), copy=False))
    if place != len(content):
        raise ValueError(f"{len(content) - place} bytes more")
    return tuple(found)


def _integer(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{str(value)[:40]} for an integer from 0 to {most}")
    return value


def _seconds(value: Any) -> float:
    if not isinstance(value, float | int) or not 0 <= value < float("inf"):
        raise ValueError(f"{str(value)[:40]} for seconds")
    return float(value)
