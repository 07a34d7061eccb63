"""Contents of an interpreter, and how a file becomes them.

Facts: MNN 3.6.1 ``core/Interpreter.cpp`` (``Content``, ``loadModelFile``,
``createFromBufferInternal``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from operator import index as as_index
from threading import RLock
from typing import Any

from arenite.errors import ModelError
from arenite.formats.flatbuffer import view_of
from arenite.mnn.lowering.models import Net, read_net
from arenite.mnn.session.constants import SessionMode
from arenite.mnn.session.file_loader import FileLoader
from arenite.mnn.session.session import Session
from arenite.mnn.session.storage import AutoStorage
from arenite.mnn.session.tensor import Tensor

Path = str | bytes | os.PathLike[str]


@dataclass(eq=False)
class Content:
    """MNN's ``Content``.

    Attributes:
        buffer: The model's bytes, until ``releaseModel``.
        net: The verified net, until ``releaseModel``.
        path: The model's path, empty for one from a buffer.
        bizCode: Kept beyond ``releaseModel``, as are ``uuid`` and ``version``.
        uuid: The model's ``mnn_uuid``.
        version: The MNN that wrote the model.
        sessions: All sessions that are not released.
        tensorMap: Which session an input or output belongs to, once somebody asked for it.
        modes: What ``setSessionMode`` was told.
        cacheFile: What ``setCacheFile`` was told.
        lock: Held while ``sessions`` and ``tensorMap`` change, never while a session's is taken.
    """

    buffer: AutoStorage
    net: Net | None
    path: str
    bizCode: str
    uuid: str
    version: str
    sessions: list[Session] = field(default_factory=list)
    tensorMap: dict[Tensor, Session] = field(default_factory=dict)
    modes: set[SessionMode] = field(default_factory=set)
    cacheFile: str = ""
    lock: Any = field(default_factory=RLock)


def content_of_file(path: Path) -> Content:
    """Load and verify a file.

    Raises:
        TypeError, ValueError: There is no path.
        OSError: The file is not there, may not be opened or cannot be read.
        ModelError: The file is empty, or no model that can be used.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"expected the path of a model, got {type(path).__name__}")
    name = os.fsdecode(path)
    if not name:
        raise ValueError("expected the path of a model, got an empty one")
    buffer = AutoStorage()
    with FileLoader(path) as loader:
        loader.read()
        if loader.size() == 0:
            raise ModelError(f"expected an MNN model in {name!r}, got an empty file", offset=0)
        loader.merge(buffer)
    return _content(buffer, name)


def content_of_buffer(data: Any, size: int | None = None) -> Content:
    """Copy and verify a model in memory: the first ``size`` bytes of a buffer, or all.

    Raises:
        TypeError: The object has no contiguous buffer, or the size is no integer.
        ValueError: The buffer has not so many bytes.
        ModelError: The buffer is empty, or no model that can be used.
    """
    try:
        view = view_of(data)
    except (TypeError, BufferError) as error:
        raise TypeError(f"expected a model in a contiguous buffer: {error}") from None
    if size is not None:
        if not 0 <= as_index(size) <= view.nbytes:
            raise ValueError(
                f"createFromBuffer: expected a size from 0 to {view.nbytes}, what the buffer has, "
                f"got {size}"
            )
        view = view[: as_index(size)]
    if not view.nbytes:
        raise ModelError("expected an MNN model, got an empty buffer", offset=0)
    buffer = AutoStorage(view.nbytes)
    target = buffer.get()
    assert target is not None
    target[...] = view
    return _content(buffer, "")


def _content(buffer: AutoStorage, path: str) -> Content:
    """``createFromBufferInternal``: verify, look for operators."""
    data = buffer.get()
    assert data is not None
    net = read_net(data, source=path)
    return Content(
        buffer=buffer,
        net=net,
        path=path,
        bizCode=net.biz_code,
        uuid=net.uuid,
        version=net.version,
    )


def get_model_uuid(path: Path) -> str:
    """The ``mnn_uuid`` of a model file; empty if it has none.

    Raises:
        OSError, ModelError: See :class:`arenite.mnn.Interpreter`.
    """
    return content_of_file(path).uuid
