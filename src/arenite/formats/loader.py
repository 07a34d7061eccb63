"""Load a model file of any format that Arenite reads."""

from __future__ import annotations

import mmap
import os

from arenite.errors import ModelError
from arenite.formats import tflite
from arenite.formats.flatbuffer import view_of
from arenite.model import Model

Source = str | os.PathLike[str] | tflite.Buffer

#: How files of other kinds begin, and what they are.
_OTHERS = (
    (b"PK\x03\x04", "a zip archive (such as a Keras or PyTorch model)"),
    (b"\x89HDF\r\n", "an HDF5 file (such as a Keras model)"),
    (b"GGUF", "a GGUF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\x08", "a protocol buffer (such as an ONNX model or a TensorFlow SavedModel)"),
)


def load(source: Source) -> Model:
    """Load and verify a model.

    Args:
        source: A file's path, which is mapped into memory rather than read, or the file's
            content as any object with a contiguous buffer.

    Files of TensorFlow Lite begin with its identifier. MNN's have none: they are recognised by
    their name (``.mnn``), or as a FlatBuffer without identifier.

    Raises:
        ModelError: The content is no model, or a broken one.
        UnsupportedOperatorError: A model of MNN's needs operators that are not mapped.
        OSError: The file is not there or cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        return _load_path(os.fspath(source))
    try:
        view_of(source)
    except TypeError:
        kind = type(source).__name__
        raise TypeError(f"expected a model file's path or its bytes, got {kind}") from None
    return _load(source, "")


def _load_path(path: str) -> Model:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return _load(b"", path)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _load(data, path)


def _load(data: tflite.Buffer, name: str) -> Model:
    head = bytes(view_of(data)[:8])
    if head[4:8] == tflite.SCHEMA.identifier:
        return tflite.read(data, source=name)
    from arenite.formats import mnn  # noqa: PLC0415 - it brings many operators along

    if head and (name.lower().endswith(".mnn") or mnn.looks_like_net(data)):
        return mnn.read(data, source=name)
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
