"""Verify a FlatBuffer and read it, in one pass: nothing is used before it is checked.

What bounds the work: every table, vector and string that is visited is paid for out of
a budget of three times the file's size, which suffices for every file that shares nothing
and for what real writers share; so offsets to the same place cannot multiply the work.
Nesting is limited; offsets only point forward, so there are no cycles.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from arenite import native
from arenite.errors import ModelError
from arenite.formats.flatbuffer.file import UINT32, File
from arenite.formats.flatbuffer.layout import (
    MAX_DEPTH,
    TABLE_COST,
    Decoder,
    Plan,
    Scalar,
    Slot,
    Step,
    TableLayout,
    inside,
    unpacking,
)
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
from arenite.formats.flatbuffer.values import Tables

T = TypeVar("T")

_U16 = struct.Struct("<H").unpack_from
_I32 = struct.Struct("<i").unpack_from


def read(schema: Schema, data: memoryview) -> Row:
    """Verify a whole file and read its root table.

    Raises:
        ModelError: With byte offset and path of what is wrong.
    """
    return Reader(schema, data).root()


class Reader(File):
    """One file and what was learned of it. ``data`` is a flat, contiguous view of bytes."""

    def __init__(self, schema: Schema, data: memoryview) -> None:
        super().__init__(data)
        self.schema = schema
        self._plans: dict[tuple[int, TableLayout], Plan] = {}

    def root(self) -> Row:
        """Check the file's identifier, if its kind has one, and read the root table.

        Raises:
            ModelError: With byte offset and path of what is wrong.
        """
        rows = self._rows()
        found = None if rows is None else rows.rows_of(self.schema, self, self.budget)
        if found is None:
            return self._worded(self.read_root)
        row: Row
        row, self.budget = found
        return row

    def tables(self) -> Tables | list[Row]:
        """The same for :func:`values_of`: one table, the root.

        Raises:
            ModelError: With byte offset and path of what is wrong.
        """
        rows = self._rows()
        found = None if rows is None else rows.tables_of(self.schema, self, self.budget)
        if found is None:
            return [self._worded(self.read_root)]
        tables: Tables
        tables, self.budget = found
        return tables

    def _rows(self) -> ModuleType | None:
        """Reader of a file that the verifier in C takes."""
        self._worded(self._check_identifier)
        if not native.available():
            return None
        from arenite.formats.flatbuffer import rows  # noqa: PLC0415 - needs the engine

        return rows

    def _worded(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except FormatError as error:
            raise ModelError(error.message, offset=error.offset, path=error.path) from None

    def _check_identifier(self) -> None:
        if self.size < 8:
            raise FormatError(f"expected a FlatBuffer of at least 8 bytes, got {self.size}", 0)
        found = bytes(self.data[4:8])
        if self.schema.identifier not in (b"", found):
            raise FormatError(
                f"expected file identifier {self.schema.identifier!r} "
                f"({self.schema.name}), got {found!r}",
                4,
            )

    def read_root(self) -> Row:
        """Read the root table in Python.

        Raises:
            FormatError: Something is wrong.
        """
        return self._table(self.follow(0), _layout(self.schema, self.schema.root), 0)

    def table(self, position: int, layout: TableLayout, path: str) -> Row:
        """Read a table that the schema left opaque, once its :func:`layout_of` is known.

        Raises:
            ModelError: With byte offset and path of what is wrong.
        """
        try:
            return self._table(position, layout, 0)
        except FormatError as error:
            where = path + error.path[1:]
            raise ModelError(error.message, offset=error.offset, path=where) from None

    def opaque(self, position: int) -> Opaque:
        """Check header and vtable of a table whose fields are not known."""
        plan = self._plan(position, _NO_FIELDS)
        return Opaque(position, plan.empty)

    # -- tables

    def _table(self, position: int, layout: TableLayout, depth: int) -> Row:
        if depth > MAX_DEPTH:
            raise FormatError(f"expected at most {MAX_DEPTH} nested tables, got more", position)
        plan = self._plan(position, layout)
        self.budget -= plan.cost
        if self.budget < 0:
            raise self.overdrawn(position)
        row = layout.defaults.copy()
        if plan.scalars:
            row.update(zip(plan.scalars, plan.unpack(self.data, position), strict=True))
        name = ""
        try:
            for name, decode, offset in plan.steps:
                row[name] = decode(self, position + offset, depth)
        except FormatError as error:
            error.steps.append(f".{name}")
            raise
        return row

    def _plan(self, position: int, layout: TableLayout) -> Plan:
        """Check a table's extent and find its fields; equal vtables are examined once."""
        if position > self.size - 4:
            raise FormatError(
                f"table at {position} is outside of the file's {self.size} bytes", position
            )
        vtable: int = position - _I32(self.data, position)[0]
        plan = self._plans.get((vtable, layout))
        if plan is None:
            plan = self._plans[vtable, layout] = self._examine(position, vtable, layout)
        if position + plan.size > self.size:
            raise FormatError(
                f"table of {plan.size} bytes does not end inside the file's {self.size}", position
            )
        if -plan.size < position - vtable < plan.vtable_size:
            raise FormatError(f"table overlaps its vtable at {vtable}", position)
        return plan

    def _examine(self, position: int, vtable: int, layout: TableLayout) -> Plan:
        if not 0 <= vtable <= self.size - 4:
            raise FormatError(
                f"vtable at {vtable} is outside of the file's {self.size} bytes", position
            )
        vtable_size, size = _U16(self.data, vtable)[0], _U16(self.data, vtable + 2)[0]
        if vtable_size < 4 or vtable_size % 2 or vtable + vtable_size > self.size:
            raise FormatError(
                f"expected a vtable of 4 or more bytes, even, inside the file, got {vtable_size}",
                vtable,
            )
        if size < 4:
            raise FormatError(f"expected a table of 4 or more bytes, got {size}", vtable + 2)
        self.pay(vtable_size, vtable)
        try:
            return _plan_of(layout, bytes(self.data[vtable : vtable + vtable_size]))
        except FormatError as error:
            error.offset = position if error.offset is None else vtable + error.offset
            raise

    def _string(self, position: int, depth: int) -> str:
        start, count = self.extent(position, 1, 1)
        if self.data[start + count]:
            raise FormatError(f"string of {count} bytes is not terminated", start - 4)
        return str(self.data[start : start + count], "utf-8", "replace")


# -- decoders ---------------------------------------------------------------------------


def _scalars(kind: str) -> Decoder:
    dtype = DTYPES[kind]
    item = dtype.itemsize

    def decode(reader: Reader, position: int, depth: int) -> Any:
        start, count = reader.extent(position, item)
        return reader.array(start, count, dtype)

    return decode


def _bytes(reader: Reader, position: int, depth: int) -> npt.NDArray[np.uint8]:
    start, count = reader.extent(position, 1)
    return reader.bytes[start : start + count]


def _tuple(kind: str) -> Decoder:
    scalar = SCALARS[kind]
    item, code = scalar.size, scalar.format[1:]

    def decode(reader: Reader, position: int, depth: int) -> tuple[Any, ...]:
        start, count = reader.extent(position, item)
        return struct.unpack_from(f"<{count}{code}", reader.data, start)

    return decode


def _child(schema: Schema, name: str) -> Decoder:
    def decode(reader: Reader, position: int, depth: int) -> Row:
        target = position + UINT32(reader.data, position)[0]
        if not position < target <= reader.size - 4:
            reader.follow(position)  # which says what is wrong
        return reader._table(target, _layout(schema, name), depth + 1)

    return decode


def _children(element: Decoder, cost: int) -> Decoder:
    """A vector of offsets. Its elements are paid for before there is a list of them."""

    def decode(reader: Reader, position: int, depth: int) -> list[Any]:
        start, count = reader.extent(position, 4)
        if count * cost > reader.budget:
            reader.pay(count * cost, start - 4)
        values: list[Any] = []
        try:
            for place in range(start, start + 4 * count, 4):
                values.append(element(reader, place, depth))
        except FormatError as error:
            error.steps.append(f"[{len(values)}]")
            raise
        return values

    return decode


@lru_cache(maxsize=4096)
def _plan_of(layout: TableLayout, vtable: bytes) -> Plan:
    """Plan of tables with this vtable: files share vtables, and files have them in common.

    The ``offset`` of an error counts from the vtable; None stands for the table itself.
    """
    vtable_size, size, *offsets = struct.unpack(f"<{len(vtable) // 2}H", vtable)
    scalars: list[Scalar] = []
    steps: list[Step] = []
    for slot in layout.slots:
        step = _step(layout.schema, slot, offsets, size)
        if step is None:
            continue
        if slot.field.kind in SCALARS:
            scalars.append((slot.field.name, slot.field.kind, step[2]))
        else:
            steps.append(step)
    cost = max(size, TABLE_COST)
    names, unpack = unpacking(scalars)
    return Plan(size, vtable_size, names, unpack, tuple(steps), cost, not any(offsets))


def _step(schema: Schema, slot: Slot, offsets: Sequence[int], size: int) -> Step | None:
    """The step that reads a field of tables with these offsets, if they have it."""
    field = slot.field
    offset = inside(field, field.id, offsets, slot.size, size)
    if field.kind.startswith("union:"):
        type_offset = inside(field, field.id - 1, offsets, 1, size)
        return (field.name, _union(schema, field, type_offset, offset), 0) if type_offset else None
    if offset:
        return field.name, slot.decode, offset
    if field.required:
        raise FormatError(f"required field {field.name!r} is missing")
    return None


def _union(schema: Schema, field: Field, type_at: int, value_at: int) -> Decoder:
    members = schema.unions[field.kind.removeprefix("union:")]

    def decode(reader: Reader, position: int, depth: int) -> Union | None:
        code = reader.data[position + type_at]
        # A type without a value is none to TFLM either, and converters write such files.
        if code == 0 or value_at == 0:
            return None
        target = reader.follow(position + value_at)
        name = members.get(code)
        if name is None:
            return Union(code, reader.opaque(target))
        return Union(code, reader._table(target, _layout(schema, name), depth + 1))

    return decode


# -- compiling a schema -----------------------------------------------------------------


@cache
def _layout(schema: Schema, name: str) -> TableLayout:
    return layout_of(schema, schema.tables[name])


def layout_of(schema: Schema, fields: Iterable[Field]) -> TableLayout:
    """A table with these fields, compiled."""
    slots = tuple(
        Slot(
            field,
            SCALARS[field.kind].size if field.kind in SCALARS else 4,
            _tuple(field.kind[1:-1]) if field.as_tuple else _decoder(schema, field.kind),
        )
        for field in fields
    )
    return TableLayout(schema, slots, {field.name: field.default for field in fields})


_NO_FIELDS = TableLayout(Schema("any", "", b"", {}), (), {})


def _decoder(schema: Schema, kind: str) -> Decoder:
    if kind == "string":
        return Reader._string
    if kind in SCALARS or kind.startswith("union:"):
        return _no_value
    if not kind.startswith("["):
        return _child(schema, kind)
    element = kind[1:-1]
    if element == "uint8":
        return _bytes
    if element in SCALARS:
        return _scalars(element)
    if element == "string":
        return _children(Reader._string, 4)
    return _children(_child(schema, element), TABLE_COST)


def _no_value(reader: Reader, position: int, depth: int) -> None:
    """Scalars are only unpacked; unions go through ``_union``, which sees both of their slots."""
