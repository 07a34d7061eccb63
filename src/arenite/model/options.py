"""Operator options as declarative rows.

An operator's file declares its options once, as a class whose fields are :func:`slot` s: a frozen
dataclass. The FlatBuffer layer reads, verifies and writes the table through that row, so a new
operator needs no parser code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**says):
        """Nothing: type checkers alone read it."""
        return lambda cls: cls


T = TypeVar("T", bound="OptionsTable")


class Slot(NamedTuple):
    """One field of a FlatBuffer table: its name, vtable slot, wire type and default.

    ``kind`` is a scalar (``"bool" "int8" "uint8" "int32" "int64" "float32"``),
    ``"string"``, or a vector of scalars (``"[int32]"``).
    """

    name: str
    id: int
    kind: str
    default: Any


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class OptionsTable:
    """Base of all options rows; ``UNION_TYPE`` is the code in ``union BuiltinOptions``.

    ``class MulOptions(OptionsTable, union=21)`` says it, and is a frozen dataclass by itself.
    """

    UNION_TYPE: ClassVar[int] = 0

    def __init_subclass__(cls, union: int | None = None) -> None:
        if union is not None:
            cls.UNION_TYPE = union
            dataclass(frozen=True)(cls)

    @classmethod
    def slots(cls) -> tuple[Slot, ...]:
        """The row as the FlatBuffer layer needs it, in order of the vtable slots."""
        return tuple(
            Slot(f.name, int(f.metadata["id"]), str(f.metadata["kind"]), f.default)
            for f in fields(cls)
        )

    @classmethod
    def filled(cls: type[T], values: Mapping[str, Any]) -> T:
        """The row with a value for each of its slots, without a call for each."""
        made = object.__new__(cls)
        made.__dict__.update(values)
        return made


class RawOptions(NamedTuple):
    """A table of options as it lies in its file, whoever knows its fields.

    ``flatbuffers.table.Table(bytes(raw.data), raw.position)`` reads it, and
    :func:`arenite.formats.tflite.parse_options` through a row, verified.
    """

    union_type: int
    data: npt.NDArray[np.uint8]
    position: int
    path: str

    def __repr__(self) -> str:
        return f"<options of union type {self.union_type} at byte {self.position}>"


_KINDS = ("bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "string")


def slot(id: int, kind: str, default: Any = 0) -> Any:  # noqa: A002 - the schema's word
    """Declare an options field: vtable slot, wire type (see :class:`Slot`) and default.

    Raises:
        ValueError: There is no such type.
    """
    if kind.removeprefix("[").removesuffix("]") not in _KINDS:
        names = ", ".join(_KINDS)
        raise ValueError(f"slot: expected a type of {names}, or one in brackets, got {kind!r}")
    return field(default=default, metadata={"id": id, "kind": kind})
