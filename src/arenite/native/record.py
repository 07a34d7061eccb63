"""Parameter records as C structs: one generic function, driven by the struct itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
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
    known = _struct(ffi, type(record).__name__)
    struct = ffi.new(known.pointer, _values(ffi, known, record, keep))
    keep.append(struct)
    return struct


class _Field(NamedTuple):
    """A struct's field: its name, and what is needed to carry its value over.

    ``items`` is the C type of an array of numbers, of ``item_size`` bytes each; ``struct`` is the
    field's own, or that of the ``length`` structs in an array.
    """

    name: str
    kind: str
    items: Any = None
    item_size: int = 0
    struct: _Struct | None = None
    length: int = 1


class _Struct(NamedTuple):
    """A struct: what gets all of its values, and the fields that are no numbers, by their place."""

    get: Callable[[Any], list[Any]]
    others: tuple[tuple[int, _Field], ...]
    pointer: Any


@cache
def _struct(ffi: Any, name: str) -> _Struct:
    """A struct of that name.

    Raises:
        KeyError: There is none.
    """
    try:
        ctype = ffi.typeof(name)
    except ffi.error as error:
        raise KeyError(name) from error
    fields = [_field(ffi, field_name, field.type) for field_name, field in ctype.fields]
    found = attrgetter(*(field.name for field in fields))
    others = tuple((place, field) for place, field in enumerate(fields) if field.kind != "value")
    pointer = ffi.typeof(f"{name} *")
    if len(fields) == 1:
        return _Struct(lambda record: [found(record)], others, pointer)
    return _Struct(lambda record: list(found(record)), others, pointer)


def _field(ffi: Any, name: str, ctype: Any) -> _Field:
    if ctype.kind == "struct" and ctype.cname in ARRAYS:
        item = ctype.fields[0][1].type.item
        return _Field(name, "numbers", ffi.typeof(f"{item.cname}[]"), ffi.sizeof(item))
    if ctype.kind == "struct":
        return _Field(name, "struct", struct=_struct(ffi, ctype.cname))
    if ctype.kind == "array" and ctype.item.kind == "struct":
        struct = _struct(ffi, ctype.item.cname)
        return _Field(name, "structs", struct=struct, length=ctype.length)
    return _Field(name, "value")


def _values(ffi: Any, struct: Any, record: Any, keep: list[Any]) -> list[Any]:
    values: list[Any] = struct.get(record)
    for place, field in struct.others:
        value = values[place]
        if field.kind == "numbers":
            values[place] = _numbers(ffi, field, value, keep)
        elif field.kind == "struct":
            values[place] = _values(ffi, field.struct, value, keep)
        else:
            if len(value) != field.length:
                raise ValueError(f"{field.name}: expected {field.length} records, got {len(value)}")
            values[place] = [_values(ffi, field.struct, part, keep) for part in value]
    return values


def _numbers(ffi: Any, field: _Field, value: Any, keep: list[Any]) -> tuple[Any, int]:
    """An array and its length, which kernels check."""
    array = np.ascontiguousarray(value)
    if array.itemsize != field.item_size:
        raise TypeError(f"expected {field.items.cname}, got {array.dtype}")
    pointer = ffi.from_buffer(field.items, array)
    keep.append(pointer)  # which keeps the array
    return pointer, array.size
