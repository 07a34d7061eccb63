"""Load a model file of any format that Arenite reads."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections import abc
from mmap import ACCESS_READ
from mmap import mmap as Mapping  # noqa: N812 - a class, and load() has an argument of that name
from typing import Any, BinaryIO

from arenite.errors import FileChangedError, ModelError
from arenite.files import open_regular, read_whole
from arenite.formats import tflite
from arenite.formats.flatbuffer import view_of
from arenite.model import Model
from arenite.native.malloc_tuning import keep_freed_memory
from arenite.ops import Registration, named
from arenite.options import mapping, optional, takes
from arenite.wings import WINGS

Source = str | os.PathLike[str] | tflite.Buffer

_HEAD = 8  # bytes that say what a file is
_SMALL = 1 << 20  # so many are read without looking at the first

#: How files of other kinds begin, and what they are.
_OTHERS = (
    (b"PK\x03\x04", "a zip archive (such as a Keras or PyTorch model)"),
    (b"\x89HDF\r\n", "an HDF5 file (such as a Keras model)"),
    (b"GGUF", "a GGUF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\x08", "a protocol buffer (such as an ONNX model or a TensorFlow SavedModel)"),
)


@takes(operators=optional(mapping()))
def load(
    source: Source,
    *,
    mmap: bool = False,
    operators: abc.Mapping[str, Registration] | None = None,
    replace: bool = False,
) -> Model:
    """Load and verify a model.

    Args:
        source: A regular file's path, or a file's content as any object with a contiguous
            buffer.
        mmap: Map the file into memory rather than read it: models of hundreds of megabytes
            load in no time and processes share them. Whoever cuts the file later ends the
            process (SIGBUS), and whoever writes to it changes the model, so it is for files
            that stay as they are.
        operators: Registrations of operators that Arenite does not have, by name. Whatever is
            made of the model finds them, where no resolver is given.
        replace: Let ``operators`` take the place of those that Arenite has: a user's faster
            CONV_2D, say.

    Files of TensorFlow Lite begin with its identifier. MNN's have none: they are recognised by
    their name (``.mnn``), or as a FlatBuffer without identifier.

    Raises:
        ModelError: The content is no model, or a broken one, or changed while it was read.
        UnsupportedOperatorError: A model of MNN's needs operators that are not mapped.
        OSError: The file is not there or cannot be read, or is a directory, pipe or device.
        ValueError: Arenite has one of ``operators`` itself, and ``replace`` is not set.
        TypeError: ``operators`` is no dictionary, or one of them no registration.
    """
    model = _loaded(source, mapped=mmap)
    if not operators:
        return model
    found = dataclasses.replace(model, registrations=named(operators, replace=replace))
    object.__setattr__(found, "content", model.content)
    return found


def _loaded(source: Source, *, mapped: bool) -> Model:
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return _load(_content(path, mapped=mapped), path)
    try:
        view_of(source)
    except TypeError:
        kind = type(source).__name__
        raise TypeError(f"expected a model file's path or its bytes, got {kind}") from None
    return _load(source, "")


def model_of(source: Model | Source) -> Model:
    """A model as it is, or loaded from a file's path or content."""
    return source if isinstance(source, Model) else load(source)


def content_of(model: Model) -> bytes:
    """A ``.tflite`` file's bytes as the user has them; written for a model that has no file.

    Raises:
        ModelError: It cannot be written.
    """
    return tflite.write(model) if model.content is None else bytes(view_of(model.content))


def _content(path: str, *, mapped: bool) -> tflite.Buffer:
    """A file's bytes; of what cannot be a model only the first."""
    with open_regular(path, buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        is_small = size <= _SMALL and not mapped
        if is_small:
            keep_freed_memory(size)
        head = _read(file) if is_small else file.read(_HEAD)
        if not _may_be_model(head[:_HEAD], size, path):
            return head[:_HEAD]
        if is_small:
            return head
        if mapped and head:
            return _mapped(file)
        file.seek(0)
        return _read(file)


def _read(file: BinaryIO) -> bytes:
    try:
        return read_whole(file)
    except FileChangedError as error:
        raise ModelError(str(error)) from None


def _mapped(file: BinaryIO) -> Mapping:
    # Python 3.13 can do without a file descriptor for every mapping; Windows needs none.
    keeps_one = sys.version_info >= (3, 13) and sys.platform != "win32"
    options: dict[str, Any] = {"trackfd": False} if keeps_one else {}
    return Mapping(file.fileno(), 0, access=ACCESS_READ, **options)


def _may_be_model(head: bytes, size: int, path: str) -> bool:
    """Whether a file is worth reading: TensorFlow Lite's, or the beginning of a FlatBuffer."""
    if head[4:] == tflite.SCHEMA.identifier or _is_of_wing(path):
        return True
    return len(head) == _HEAD and 4 <= int.from_bytes(head[:4], "little") <= size - 4


def _is_of_wing(name: str) -> bool:
    return name.lower().endswith(tuple(wing.suffix for wing in WINGS))


def _load(data: tflite.Buffer, name: str) -> Model:
    head = bytes(view_of(data)[:_HEAD])
    if head[4:8] == tflite.SCHEMA.identifier:
        return tflite.read(data, source=name)
    for wing in WINGS if head else ():
        models = wing.module("lowering.models")
        if _is_of_wing(name) or models.looks_like_net(data):
            model: Model = models.read(data, source=name)
            return model
    raise ModelError(f"expected a TensorFlow Lite or MNN file{_quoted(name)}, got {_guess(head)}")


def _guess(head: bytes) -> str:
    if not head:
        return "an empty one"
    for start, kind in _OTHERS:
        if head.startswith(start):
            return kind
    return f"one that begins with {head!r} (bytes 4 to 7 should be b'TFL3', or it should be MNN's)"


def _quoted(name: str) -> str:
    return f" in {name!r}" if name else ""
