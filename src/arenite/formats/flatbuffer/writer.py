"""Write rows as a FlatBuffer, through ``flatbuffers.Builder``."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.formats.flatbuffer.schema import (
    DTYPES,
    SCALARS,
    Field,
    FormatError,
    Opaque,
    Row,
    Schema,
    Union,
)

#: A file of tables without large vectors.
_SMALL = 1024

Put = Callable[[], None]
"""Puts one field into the table that is being built."""


def write(schema: Schema, row: Row) -> bytes:
    """A file whose root table is ``row``.

    Fields that are None, missing or equal to their defaults take no room.

    Raises:
        ModelError: With the path of a value that does not fit its field.
    """
    from flatbuffers.builder import Builder, BuilderSizeError  # noqa: PLC0415 - readers need none

    try:
        # A builder that has to grow copies all that it holds, and doubles it.
        builder = Builder(_SMALL + _vector_bytes(row))
        root = _Writer(schema, builder).table(schema.tables[schema.root], row)
        builder.Finish(root, file_identifier=schema.identifier or None)
    except FormatError as error:
        raise ModelError(error.message, path=error.path) from None
    except BuilderSizeError:
        raise ModelError("the model does not fit a FlatBuffer, which ends at 2 GiB") from None
    return bytes(memoryview(builder.Bytes)[builder.Head() :])


def _vector_bytes(value: Any) -> int:
    """About what the vectors of scalars in a row take: those that are arrays."""
    if isinstance(value, bytes | bytearray):
        return len(value)
    if isinstance(value, np.ndarray | memoryview):
        return value.nbytes
    if isinstance(value, Union):
        return _vector_bytes(value.value)
    if isinstance(value, Mapping):
        return sum(map(_vector_bytes, value.values()))
    if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping | bytes):
        return sum(map(_vector_bytes, value))
    return 0


class _Writer:
    def __init__(self, schema: Schema, builder: Any) -> None:
        self.schema = schema
        self.builder = builder

    def table(self, fields: Sequence[Field], row: Row) -> int:
        """Write what the fields point to, then the table; returns its offset from the end."""
        puts = [self._field(field, row) for field in fields if row.get(field.name) is not None]
        self.builder.StartObject(1 + max((field.id for field in fields), default=-1))
        for put in puts:
            put()
        return int(self.builder.EndObject())

    def _field(self, field: Field, row: Row) -> Put:
        try:
            return self._prepare(field, row[field.name])
        except FormatError as error:
            error.steps.append(f".{field.name}")
            raise

    def _prepare(self, field: Field, value: Any) -> Put:
        """Write what lies outside of the table; returns what puts the field into it."""
        builder, kind = self.builder, field.kind
        if kind in SCALARS:
            _check_scalar(kind, value)
            prepend = getattr(builder, f"Prepend{kind.capitalize()}Slot")
            return lambda: prepend(field.id, value, field.default)
        if kind.startswith("union:"):
            return self._union(field, value)
        offset = self._outside(kind, value, field.align)
        return lambda: builder.PrependUOffsetTRelativeSlot(field.id, offset, 0)

    def _union(self, field: Field, value: Union) -> Put:
        members = self.schema.unions[field.kind.removeprefix("union:")]
        fields = value.fields
        if fields is None and value.type in members:
            fields = self.schema.tables[members[value.type]]
        if fields is None or isinstance(value.value, Opaque):
            raise FormatError(
                f"a table of type {value.type} has no known fields and cannot be written"
            )
        _check_scalar("uint8", value.type)
        offset = self.table(fields, value.value)

        def put() -> None:
            self.builder.PrependUint8Slot(field.id - 1, value.type, 0)
            self.builder.PrependUOffsetTRelativeSlot(field.id, offset, 0)

        return put

    def _outside(self, kind: str, value: Any, align: int) -> int:
        """Write a string, table or vector; returns its offset from the end."""
        if kind == "string":
            # What a reader made of broken UTF-8 stays as it is.
            return int(self.builder.CreateString(value, "utf-8", "replace"))
        if not kind.startswith("["):
            return self.table(self.schema.tables[kind], value)
        element = kind[1:-1]
        if element in SCALARS:
            return self._scalars(element, value, align)
        offsets = []
        for index, item in enumerate(value):
            try:
                offsets.append(self._outside(element, item, align))
            except FormatError as error:
                error.steps.append(f"[{index}]")
                raise
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def _scalars(self, kind: str, value: Any, align: int) -> int:
        array, builder = _array(kind, value), self.builder
        builder.Prep(max(align, array.itemsize), array.nbytes)
        builder.StartVector(array.itemsize, array.size, array.itemsize)
        builder.head -= array.nbytes
        # As CreateNumpyVector does, without a copy of its own.
        place = np.frombuffer(builder.Bytes, array.dtype, array.size, builder.head)
        place[...] = array
        return int(builder.EndVector())


def _check_scalar(kind: str, value: Any) -> None:
    try:
        SCALARS[kind].pack(value)
    except (struct.error, OverflowError):
        raise FormatError(f"expected a value of type {kind}, got {value!r}") from None


def _array(kind: str, value: Any) -> npt.NDArray[Any]:
    """A flat array of a vector's elements; refuses integers that do not fit."""
    if isinstance(value, bytes | bytearray | memoryview):
        return np.frombuffer(value, DTYPES[kind])
    given = np.asarray(value).reshape(-1)
    if given.dtype == DTYPES[kind]:
        return given
    try:
        array = np.asarray(value, DTYPES[kind]).reshape(-1)
    except (OverflowError, ValueError, TypeError):
        array = None
    if array is None or (array.dtype.kind != "f" and not np.array_equal(array, given)):
        raise FormatError(f"expected values of type {kind}, got {value!r}")
    return array
