"""Schemas of FlatBuffers: tables as rows of fields.

A field's *kind* is a string:

====================  ==========================================================
``"int32"``           a scalar: ``bool``, ``int8`` to ``uint64``, ``float32``, ``float64``
``"string"``          UTF-8 text
``"union:Name"``      a :class:`Union`; its type code sits in the slot before it
``"Name"``            a table of the schema
``"[kind]"``          a vector of scalars, strings or tables
====================  ==========================================================
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Row = dict[str, Any]
"""A table's fields by name. A field that the file leaves out has its default."""

SCALARS: Mapping[str, struct.Struct] = {
    "bool": struct.Struct("<?"),
    "int8": struct.Struct("<b"),
    "uint8": struct.Struct("<B"),
    "int16": struct.Struct("<h"),
    "uint16": struct.Struct("<H"),
    "int32": struct.Struct("<i"),
    "uint32": struct.Struct("<I"),
    "int64": struct.Struct("<q"),
    "uint64": struct.Struct("<Q"),
    "float32": struct.Struct("<f"),
    "float64": struct.Struct("<d"),
}
DTYPES: Mapping[str, np.dtype[Any]] = {
    # By name, so that they are NumPy's own objects where the machine has this order.
    kind: np.dtype(np.dtype(kind).newbyteorder("<").str)
    for kind in SCALARS
}


class Field(NamedTuple):
    """One field of a table.

    ``id`` is its vtable slot, ``default`` its value where a file leaves it out, ``align``
    the alignment in bytes that a vector's first element gets when it is written. A vector of
    scalars is read as an array, or with ``as_tuple`` as a tuple, which costs less if it is
    short.
    """

    name: str
    id: int
    kind: str
    default: Any = None
    required: bool = False
    align: int = 1
    as_tuple: bool = False


class Opaque(NamedTuple):
    """A union's table of a type that the schema does not have.

    Its header and vtable lie inside the file. ``empty`` tells whether it has no fields.
    """

    position: int
    empty: bool


class Union(NamedTuple):
    """A union's value: the type code, and the table's row (or where it is).

    ``fields`` is needed to write a table of a type that the schema does not have.
    """

    type: int
    value: Row | Opaque
    fields: tuple[Field, ...] | None = None


@dataclass(frozen=True, eq=False)
class Schema:
    """Tables and unions (type code -> table) by name.

    ``identifier`` is the four bytes at place 4, empty for a kind of file that has none.
    A union's type that is not listed is verified as a table with unknown fields and
    comes out as :class:`Opaque`.
    """

    name: str
    root: str
    identifier: bytes
    tables: Mapping[str, tuple[Field, ...]]
    unions: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


class FormatError(Exception):
    """Something is wrong; every level that it passes on its way up adds its step of the path."""

    def __init__(self, message: str, offset: int | None = None, *steps: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.steps = list(steps)

    @property
    def path(self) -> str:
        """The path from the root, such as ``$.subgraphs[0].operators[3]``."""
        return "$" + "".join(reversed(self.steps))
