"""Values between processes as JSON and plain bytes: whatever a child sends, none of it can run.

Its native code may be anybody's. A message is a length, JSON and the bytes of its arrays. Records
and errors are made of classes that the reader has imported already: fields are set, nothing is
called.
"""

from __future__ import annotations

import builtins
import dataclasses
import json
import sys
from typing import Any

import numpy as np

_LENGTH = 8
#: Kinds of elements of an array that is sent: no objects, no structures.
_KINDS = "biufcmMSU"
_SCALARS = (bool, int, float, str, type(None))


class MessageError(ValueError):
    """Bytes that are no message."""


def packed(value: Any) -> bytes:
    """A value as a message.

    Args:
        value: Of numbers, texts, bytes, arrays, lists, tuples, sets and dicts, dataclasses and
            named tuples of Arenite's, and exceptions.

    Raises:
        TypeError: It has something else.
    """
    parts: list[bytes] = []
    text = json.dumps(_tree(value, parts)).encode()
    return b"".join((len(text).to_bytes(_LENGTH, "little"), text, *parts))


def unpacked(data: bytes) -> Any:
    """The value of a message.

    Raises:
        MessageError: It is none.
    """
    try:
        begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
        return _value(json.loads(data[_LENGTH:begin]), memoryview(data)[begin:])
    except Exception as error:
        raise MessageError(f"expected a message: {type(error).__name__}: {error}") from None


# -- writing -----------------------------------------------------------------------------


def _tree(value: Any, parts: list[bytes]) -> Any:
    if isinstance(value, np.generic):
        return ["scalar", _tree(np.asarray(value), parts)]
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return ["bytes", *_placed(bytes(value), parts)]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"expected an array of numbers, got {value.dtype}")
        data = np.ascontiguousarray(value).tobytes()
        return ["array", value.dtype.str, list(value.shape), *_placed(data, parts)]
    if isinstance(value, dict):
        return ["dict", [[_tree(one, parts) for one in item] for item in value.items()]]
    if isinstance(value, Exception):
        return _error_tree(value, parts)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        items = [[name, _tree(getattr(value, name), parts)] for name in names]
        return ["record", *_name(type(value)), items]
    if isinstance(value, list | tuple | set):
        items = [_tree(one, parts) for one in value]
        if hasattr(value, "_fields"):
            return ["named", *_name(type(value)), items]
        return [type(value).__name__, items]
    raise TypeError(f"cannot be sent to another process: {type(value).__name__}")


def _placed(data: bytes, parts: list[bytes]) -> tuple[int, int]:
    begin = sum(map(len, parts))
    parts.append(data)
    return begin, len(data)


def _error_tree(error: Exception, parts: list[bytes]) -> Any:
    arguments: tuple[Any, ...] = error.args
    if isinstance(error, OSError) and error.filename is not None:
        arguments = (error.errno, error.strerror, str(error.filename))
    attributes = [[key, _tree(one, parts)] for key, one in vars(error).items()]
    return ["error", *_name(type(error)), _tree(arguments, parts), attributes]


def _name(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


# -- reading -----------------------------------------------------------------------------


def _value(tree: Any, data: memoryview) -> Any:
    if not isinstance(tree, list):
        return tree
    kind, *rest = tree
    if kind == "scalar":
        return _value(rest[0], data)[()]
    if kind == "bytes":
        return bytes(_part(data, *rest))
    if kind == "array":
        return _array(data, *rest)
    if kind == "dict":
        return {_value(key, data): _value(one, data) for key, one in rest[0]}
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[kind](_value(x, data) for x in rest[0])
    if kind == "named":
        return tuple.__new__(_class(*rest[:2]), [_value(one, data) for one in rest[2]])
    if kind == "record":
        return _record(_class(*rest[:2]), rest[2], data)
    if kind == "error":
        return _error(rest[0], rest[1], _value(rest[2], data), rest[3], data)
    raise MessageError(f"got {kind!r}")


def _part(data: memoryview, begin: int, size: int) -> memoryview:
    if not 0 <= begin <= begin + size <= len(data):
        raise MessageError(f"expected bytes among {len(data)}, got {size} at {begin}")
    return data[begin : begin + size]


def _array(data: memoryview, dtype: str, shape: list[int], begin: int, size: int) -> Any:
    kind = np.dtype(dtype)
    if kind.kind not in _KINDS:
        raise MessageError(f"got an array of {kind}")
    flat = np.frombuffer(_part(data, begin, size), kind) if size else np.empty(0, kind)
    if any(one < 0 for one in shape):
        raise MessageError(f"got the shape {shape}")
    return flat.reshape(shape).copy()


def _class(module: str, name: str) -> Any:
    """A class of Arenite's that is there already: a child cannot have a module imported."""
    found: Any = sys.modules.get(module) if module.split(".", maxsplit=1)[0] == "arenite" else None
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise MessageError(f"got {module}.{name}")
    return found


def _record(kind: type, items: list[Any], data: memoryview) -> Any:
    if not hasattr(kind, "__dataclass_fields__"):
        raise MessageError(f"got {kind.__name__}")
    names = {field.name for field in dataclasses.fields(kind)}
    made: Any = object.__new__(kind)
    for name, one in items:
        if name not in names:
            raise MessageError(f"got {kind.__name__}.{name}")
        object.__setattr__(made, name, _value(one, data))
    return made


def _error(
    module: str, name: str, arguments: Any, attributes: list[Any], data: memoryview
) -> Exception:
    """An error as it was raised; of a class that is not known here a RuntimeError."""
    found = getattr(builtins, name, None) if module == "builtins" else None
    try:
        kind = found or _class(module, name)
        if not issubclass(kind, Exception):
            raise MessageError(f"got {name}")
        # An error of Arenite's may make its message of what it is given: that was done already.
        is_made = found or issubclass(kind, MemoryError)  # which Python makes no other way
        error: Exception = kind(*arguments) if is_made else kind.__new__(kind, *arguments)
    except (TypeError, MessageError):
        return RuntimeError(f"{name}: {' '.join(map(str, arguments))}")
    if not found:
        error.args = arguments
    vars(error).update((key, _value(one, data)) for key, one in attributes)
    return error
