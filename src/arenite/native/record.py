"""Parameter records as C structs: one generic function, driven by the struct itself."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.native.tensors import fill_struct, lib

#: The structs that hold an array and its length.
ARRAYS = ("ar_int8s", "ar_int16s", "ar_int32s", "ar_int64s", "ar_floats")

_NUMBERS = {
    "int32_t": lib.AR_AS_INTEGER,
    "int64_t": lib.AR_AS_INTEGER,
    "double": lib.AR_AS_REAL,
    "_Bool": lib.AR_AS_TRUTH,
}

#: A field: name, kind, offset, how many (0 for one that is no array), bytes of one, and a struct's
#: own fields.
_Field = tuple[str, int, int, int, int, tuple[Any, ...]]


def to_struct(ffi: Any, record: Any, keep: list[Any]) -> Any:
    """A new C struct named like the record's class, with the record's values.

    Numbers, tuples (arrays, which may be longer), arrays (with their lengths) and nested records
    are carried over by the struct's own field list, so both sides must name the same fields.
    What the struct points to is appended to ``keep``, which must live as long as the struct.

    Raises:
        KeyError: There is no C struct of that name.
        OverflowError: A number does not fit the C type, as in hostile files.
    """
    pointer, address_type, fields = _struct(ffi, type(record).__name__)
    struct = ffi.new(pointer)
    fill_struct(int(ffi.cast(address_type, struct)), fields, record, _arranged, keep)
    keep.append(struct)
    return struct


@cache
def _struct(ffi: Any, name: str) -> tuple[Any, Any, tuple[_Field, ...]]:
    """A pointer to a struct of that name, an address as a type, and the fields.

    Raises:
        KeyError: There is none.
    """
    try:
        ctype = ffi.typeof(name)
    except ffi.error as error:
        raise KeyError(name) from error
    return ffi.typeof(f"{name} *"), ffi.typeof("intptr_t"), _fields(ffi, ctype)


def _fields(ffi: Any, struct: Any) -> tuple[_Field, ...]:
    return tuple(_field(ffi, name, field.type, field.offset) for name, field in struct.fields)


def _field(ffi: Any, name: str, ctype: Any, offset: int) -> _Field:
    count = 0
    if ctype.kind == "array":
        count, ctype = ctype.length, ctype.item
    if ctype.kind != "struct":
        return name, _NUMBERS[ctype.cname], offset, count, ffi.sizeof(ctype), ()
    if ctype.cname in ARRAYS:
        item = ctype.fields[0][1].type.item
        return name, lib.AR_AS_ARRAY, offset, count, ffi.sizeof(item), ()
    return name, lib.AR_AS_STRUCT, offset, count, ffi.sizeof(ctype), _fields(ffi, ctype)


def _arranged(value: Any, item: int) -> npt.NDArray[Any]:
    """An array in a row of elements of so many bytes."""
    array = np.require(value, requirements=("C_CONTIGUOUS", "ALIGNED"))
    if array.itemsize != item:
        raise TypeError(f"expected elements of {item} bytes, got {array.dtype}")
    return np.asarray(array)
