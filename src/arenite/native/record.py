"""Parameter records as C structs: one generic function, driven by the struct itself."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_struct(ffi: Any, record: Any, keep: list[Any]) -> Any:
    """A new C struct named like the record's class, with the record's values.

    Numbers, tuples (arrays, which may be longer), arrays (pointers) and nested records are
    carried over by the struct's own field list, so both sides must name the same fields.
    What the struct points to is appended to ``keep``, which must live as long as the struct.

    Raises:
        KeyError: There is no C struct of that name.
        OverflowError: A number does not fit the C type, as in hostile files.
    """
    name = type(record).__name__
    try:
        struct = ffi.new(f"{name} *")
    except ffi.error as error:
        raise KeyError(name) from error
    _fill(ffi, struct[0], record, keep)
    keep.append(struct)
    return struct


def _fill(ffi: Any, struct: Any, record: Any, keep: list[Any]) -> None:
    for name, field in ffi.typeof(struct).fields:
        value = getattr(record, name)
        kind = field.type.kind
        if kind == "struct":
            _fill(ffi, getattr(struct, name), value, keep)
        elif kind == "array" and field.type.item.kind == "struct":
            for item, part in zip(getattr(struct, name), value, strict=True):
                _fill(ffi, item, part, keep)
        elif kind == "pointer":
            setattr(struct, name, _pointer(ffi, field.type, value, keep))
        else:
            setattr(struct, name, value)


def _pointer(ffi: Any, ctype: Any, value: Any, keep: list[Any]) -> Any:
    array = np.ascontiguousarray(value)
    if array.itemsize != ffi.sizeof(ctype.item):
        raise TypeError(f"expected an array of {ctype.item.cname}, got {array.dtype}")
    pointer = ffi.from_buffer(f"{ctype.item.cname}[]", array)
    keep.append((array, pointer))
    return pointer
