"""Arguments of LiteRT's interpreter, and the file that it is made of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import Enum, unique
from typing import Any

from arenite.errors import AreniteError
from arenite.formats import load
from arenite.model import Model
from arenite.model.unread import moved_inside

#: LiteRT's other arguments; they are about delegates and about what details show.
OPTIONS = (
    "experimental_disable_delegate_clustering",
    "experimental_default_delegate_latest_features",
    "experimental_compress_quantization_zero_points",
    "experimental_disable_delegate_node_fusion",
    "experimental_force_delegate_node_profiling",
)


@unique
class OpResolverType(Enum):
    """LiteRT's choices of kernels. Here all of them mean the same: TFLM's results."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


def check_arguments(
    delegates: Sequence[Any] | None, num_threads: object, kind: object, options: dict[str, object]
) -> None:
    """Check what :class:`arenite.litert.Interpreter` is called with, all but the model.

    Raises:
        TypeError: An argument is unknown.
        ValueError: One has a value that LiteRT does not take, or there are delegates.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TypeError(f"Interpreter() got an unexpected keyword argument {unknown[0]!r}")
    if delegates:
        raise ValueError("expected no experimental_delegates: Arenite runs all operators itself")
    if not isinstance(kind, OpResolverType):
        raise ValueError(f"Unrecognized passed in op resolver type: {kind}")
    if num_threads is None:
        return
    if not isinstance(num_threads, int):
        raise ValueError("type of num_threads should be int")
    if num_threads < 1:
        raise ValueError("num_threads should >= 1")


def model_from(path: str | os.PathLike[str] | None, content: bytes | None) -> Model:
    """The model of a file, or of a file's bytes.

    Raises:
        ValueError: In LiteRT's words: none or both are given, there is no such file, or it is
            none that can be read.
        TypeError: ``content`` is text.
    """
    if path and content:
        raise ValueError("Can't both provide `model_path` and `model_content`")
    source = path or content
    if not source:
        raise ValueError("`model_path` or `model_content` must be specified.")
    if path is None and isinstance(source, str):
        raise TypeError("model_content: expected bytes, got str")
    try:
        return moved_inside(load(source))
    except OSError as error:
        name = os.fspath(path or "")
        raise ValueError(f"Could not open '{name}': {error.strerror or error}") from error
    except AreniteError as error:
        raise ValueError(f"The model is not a valid Flatbuffer buffer: {error}") from error
