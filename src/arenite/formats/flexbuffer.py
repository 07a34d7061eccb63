"""FlexBuffers, in which converters write the options of custom operators.

Facts: flatbuffers' ``flexbuffers.py`` and its page on the format. Offsets lead backwards only, so
that reading ends; but many may lead to one place, so values are counted.
"""

from __future__ import annotations

import struct
from typing import Any

from flatbuffers import flexbuffers

from arenite.errors import ModelError

#: Values per byte: more are made by offsets that lead to one place again and again.
_VALUES_PER_BYTE = 4
_MAX_DEPTH = 64
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
