"""Parameter records as C structs: one generic function, driven by the struct itself."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

#: The structs that hold an array and its length.
ARRAYS = ("ar_int8s", "ar_int16s", "ar_int32s", "ar_int64s", "ar_floats")


def to_struct(ffi: Any, record: Any, keep: list[Any]) -> Any:
    """A new C struct named like the record's class, with the record's values.

    Numbers, tuples (arrays, which may be longer), arrays (with their lengths) and nested records
    are carried over by the struct's own field list, so both sides must name the same fields.
    What the struct points to is appended to ``keep``, which must live as long as the struct.

    Raises:
        KeyError: There is no C struct of that name.
        OverflowError: A number does not fit the C type, as in hostile files.
    """
    name = type(record).__name__
    fields = _fields(ffi, name)
    struct = ffi.new(f"{name} *", _values(ffi, fields, record, keep))
    keep.append(struct)
    return struct


class _Field(NamedTuple):
    """A struct's field: its name, and what is needed to carry its value over.

    ``item`` is the C type of an array's numbers, of ``item_size`` bytes; ``fields`` are
    those of a struct, or of the ``length`` structs in an array.
    """

    name: str
    kind: str
    item: str = ""
    item_size: int = 0
    fields: tuple[_Field, ...] = ()
    length: int = 1


@cache
def _fields(ffi: Any, name: str) -> tuple[_Field, ...]:
    """A struct's fields.

    Raises:
        KeyError: There is no C struct of that name.
    """
    try:
        ctype = ffi.typeof(name)
    except ffi.error as error:
        raise KeyError(name) from error
    return tuple(_field(ffi, field_name, field.type) for field_name, field in ctype.fields)


def _field(ffi: Any, name: str, ctype: Any) -> _Field:
    if ctype.kind == "struct" and ctype.cname in ARRAYS:
        item = ctype.fields[0][1].type.item
        return _Field(name, "numbers", item.cname, ffi.sizeof(item))
    if ctype.kind == "struct":
        return _Field(name, "struct", fields=_fields(ffi, ctype.cname))
    if ctype.kind == "array" and ctype.item.kind == "struct":
        fields = _fields(ffi, ctype.item.cname)
        return _Field(name, "structs", fields=fields, length=ctype.length)
    return _Field(name, "value")


def _values(ffi: Any, fields: tuple[_Field, ...], record: Any, keep: list[Any]) -> list[Any]:
    values = []
    for field in fields:
        value = getattr(record, field.name)
        if field.kind == "numbers":
            value = _numbers(ffi, field, value, keep)
        elif field.kind == "struct":
            value = _values(ffi, field.fields, value, keep)
        elif field.kind == "structs":
            if len(value) != field.length:
                raise ValueError(f"{field.name}: expected {field.length} records, got {len(value)}")
            value = [_values(ffi, field.fields, part, keep) for part in value]
        values.append(value)
    return values


def _numbers(ffi: Any, field: _Field, value: Any, keep: list[Any]) -> tuple[Any, int]:
    """An array and its length, which kernels check."""
    array = np.ascontiguousarray(value)
    if array.itemsize != field.item_size:
        raise TypeError(f"expected an array of {field.item}, got {array.dtype}")
    pointer = ffi.from_buffer(f"{field.item}[]", array)
    keep.append((array, pointer))
    return pointer, array.size
