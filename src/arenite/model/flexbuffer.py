"""FlexBuffers, in which converters write the options of custom operators.

Facts: flatbuffers' ``flexbuffers.py`` and its page on the format. Offsets lead backwards only, so
that reading ends; but many may lead to one place, so values are counted.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from arenite.errors import ModelError

#: Values per byte: more are made by offsets that lead to one place again and again.
_VALUES_PER_BYTE = 4
_MAX_DEPTH = 64
#: Types of a root that have elements (``FBT_MAP``, ``FBT_VECTOR``).
_MAP, _VECTOR = 9, 10
#: What flatbuffers' reader meets in bytes that are no FlexBuffer.
_FOREIGN = (struct.error, LookupError, ValueError, TypeError, ArithmeticError, AssertionError)


def read(data: bytes) -> Any:
    """A FlexBuffer as Python's own values: dicts, lists, numbers, strings, bytes.

    Raises:
        ModelError: The bytes are none, or hold more than so many bytes can say.
    """
    if len(data) < 3:
        raise ModelError(f"expected a FlexBuffer of at least 3 bytes, got {len(data)}")
    try:
        return _value(flexbuffers.GetRoot(bytes(data)), [_VALUES_PER_BYTE * len(data)], 0)
    except _FOREIGN as error:
        raise ModelError(f"malformed FlexBuffer of {len(data)} bytes: {error}") from None


def _value(ref: Any, left: list[int], depth: int) -> Any:
    left[0] -= 1
    if left[0] < 0 or depth > _MAX_DEPTH:
        raise ModelError("expected a FlexBuffer with as many values as its bytes can hold")
    if ref.IsNull:
        return None
    if ref.IsMap:
        found = ref.AsMap
        keys = [str(_scalar(key)) for key in found.Keys]
        _spend(left, len(keys))
        values = found.Values
        return {key: _value(values[i], left, depth + 1) for i, key in enumerate(keys)}
    if ref.IsVector or ref.IsTypedVector or ref.IsFixedTypedVector:
        kind = "AsVector" if ref.IsVector else "AsTypedVector"
        items = getattr(ref, kind if not ref.IsFixedTypedVector else "AsFixedTypedVector")
        _spend(left, len(items))
        return [_value(items[i], left, depth + 1) for i in range(len(items))]
    return _scalar(ref)


def _scalar(ref: Any) -> Any:
    for is_one, value in (
        ("IsBool", "AsBool"),
        ("IsInt", "AsInt"),
        ("IsFloat", "AsFloat"),
        ("IsKey", "AsKey"),
        ("IsString", "AsString"),
        ("IsBlob", "AsBlob"),
    ):
        if getattr(ref, is_one):
            found = getattr(ref, value)
            return bytes(found) if value == "AsBlob" else found
    raise ModelError("expected a FlexBuffer of known types")


def _spend(left: list[int], count: int) -> None:
    if count > left[0]:
        raise ModelError("expected a FlexBuffer with as many values as its bytes can hold")


class Vector:
    """The elements of a vector as they lie there, all of one width, whatever their types.

    TFLM's operators read options so (``FlexbufferWrapper``): by their place, a map's in the order
    of its keys. Numbers that are read as another type than they were written as are bits.
    """

    def __init__(self, elements: bytes, width: int) -> None:
        self._elements = elements
        self._width = width

    def __len__(self) -> int:
        return len(self._elements) // self._width

    def int32(self, index: int) -> int:
        """``ElementAsInt32``: the low 32 bits of an integer."""
        low = int.from_bytes(self._raw(index), "little", signed=True) & 0xFFFFFFFF
        return low - (low >> 31 << 32)

    def bool(self, index: int) -> bool:
        """``ElementAsBool``: whether any bit is set."""
        return any(self._raw(index))

    def float32(self, index: int) -> float:
        """``ElementAsFloat``: narrow elements hold integers."""
        raw = self._raw(index)
        if len(raw) < 4:
            return float(int.from_bytes(raw, "little", signed=True))
        (value,) = struct.unpack("<f" if len(raw) == 4 else "<d", raw)
        with np.errstate(over="ignore"):
            return float(np.float32(value))

    def _raw(self, index: int) -> bytes:
        if not 0 <= index < len(self):
            raise ModelError(
                f"expected a FlexBuffer with at least {index + 1} values, got {len(self)}"
            )
        return self._elements[index * self._width : (index + 1) * self._width]


def vector(data: bytes) -> Vector:
    """The vector or map that a FlexBuffer is; empty for anything else, as in TFLM.

    Raises:
        ModelError: The bytes are no FlexBuffer, or the elements lie outside of them.
    """
    data = bytes(data)
    root_width = data[-1] if data else 0
    root = len(data) - 2 - root_width
    if root_width not in (1, 2, 4, 8) or root < 0:
        raise ModelError(f"malformed FlexBuffer of {len(data)} bytes")
    kind, width = data[-2] >> 2, 1 << (data[-2] & 3)
    if kind not in (_MAP, _VECTOR):
        return Vector(b"", 1)
    start = root - int.from_bytes(data[root : root + root_width], "little")
    if start < width:
        raise ModelError(f"malformed FlexBuffer of {len(data)} bytes: it begins before its start")
    count = int.from_bytes(data[start - width : start], "little")
    if start + count * width > root:
        raise ModelError(f"malformed FlexBuffer of {len(data)} bytes: {count} values do not fit")
    return Vector(data[start : start + count * width], width)
