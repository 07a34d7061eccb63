"""Parameter records as C structs: one generic function, driven by the struct itself."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib
from arenite.native.tensors import make_struct

#: The structs that hold an array and its length.
ARRAYS = ("ar_int8s", "ar_int16s", "ar_int32s", "ar_int64s", "ar_floats")

_NUMBERS = {
    "int32_t": lib.AR_AS_INTEGER,
    "int64_t": lib.AR_AS_INTEGER,
    "double": lib.AR_AS_REAL,
    "_Bool": lib.AR_AS_TRUTH,
}

#: A struct's bytes, its fields as bytes, their names, and the layouts of those that are structs.
Layout = tuple[int, bytes, tuple[str, ...], tuple[Any, ...]]


def to_struct(record: Any, keep: list[Any]) -> bytes:
    """The bytes of a C struct named like the record's class, with the record's values.

    Numbers, tuples (arrays, which may be longer), arrays (with their lengths) and nested records
    are carried over by the struct's own field list, so both sides must name the same fields.
    What the struct points to is appended to ``keep``, which must live as long as the struct.

    Raises:
        KeyError: There is no C struct of that name.
        OverflowError: A number does not fit the C type, as in hostile files.
    """
    struct: bytes = make_struct(_layout_of(type(record).__name__), record, _arranged, keep)
    return struct


@cache
def _layout_of(name: str) -> Layout:
    """The layout of the struct of that name.

    Raises:
        KeyError: There is none.
    """
    try:
        return _layout(ffi.typeof(name))
    except ffi.error as error:
        raise KeyError(name) from error


def _layout(struct: Any) -> Layout:
    names = tuple(name for name, _ in struct.fields)
    fields = [field for _, field in struct.fields]
    rows = [_row(field.type, field.offset) for field in fields]
    nested = [
        _layout(_item(field.type)) if kind == lib.AR_AS_STRUCT else None
        for field, (kind, *_) in zip(fields, rows, strict=True)
    ]
    packed = bytes(ffi.buffer(ffi.new("ar_field[]", rows or 1)))
    return ffi.sizeof(struct), packed, names, tuple(nested)


def _item(ctype: Any) -> Any:
    """The type of an array's elements, or of what is no array."""
    return ctype.item if ctype.kind == "array" else ctype


def _row(ctype: Any, offset: int) -> tuple[int, int, int, int]:
    """A field as an ``ar_field``."""
    count, item = ctype.length if ctype.kind == "array" else 0, _item(ctype)
    if item.kind != "struct":
        return _NUMBERS[item.cname], offset, count, ffi.sizeof(item)
    if item.cname in ARRAYS:
        return lib.AR_AS_ARRAY, offset, count, ffi.sizeof(item.fields[0][1].type.item)
    return lib.AR_AS_STRUCT, offset, count, ffi.sizeof(item)


def _arranged(value: Any, item: int) -> npt.NDArray[Any]:
    """An array in a row of elements of so many bytes."""
    array = np.require(value, requirements=("C_CONTIGUOUS", "ALIGNED"))
    if array.itemsize != item:
        raise TypeError(f"expected elements of {item} bytes, got {array.dtype}")
    return np.asarray(array)
