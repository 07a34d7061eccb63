"""Some fields of many tables: a tuple or an object for every table, and no row of all that it has.

A model has hundreds of tables of few kinds, of which Python wants a few fields each. C makes
tuples and objects (``csrc/python/fb_objects.c``) from what its verifier has found
(:mod:`arenite.formats.flatbuffer.scan`). Where there is no C tuples come from the rows that the
reader in Python has made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from arenite.formats.flatbuffer.schema import DTYPES, SCALARS, Field, Row, Schema, Union

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from arenite.formats.flatbuffer.file import File
    from arenite.native.flatbuffer import Fields, Form, Found

Values = tuple[Any, ...]

#: The numbers of a union whose tables the schema does not have.
_OF_UNIONS = ("type", "position", "empty")


class Part(NamedTuple):
    """An attribute of objects that are made of tables, or an item of a tuple.

    Attributes:
        name: The attribute; empty for a field that tables must not have, behind the others.
        path: The field, as :func:`values_of` takes it; a union's own name stands for its table.
        absent: What stands for the field where it is not there; None for its own default. Where
            this is of bytes, a vector of bytes is as well.
        of: The name of something that is given for the file: of an integer a tuple, of which the
            value is the item with that number (NotImplemented is none); of a union a named tuple's
            class, one of its values, the path of the vector of the tables and the field's name, and
            the other values are the union's type, the place of its table and its path. Or the
            record of the objects that the field's tables are.
        by: Of a union: ``of`` is a tuple, and this field the number of the item that says what the
            union's table is, see :func:`opaque`.
    """

    name: str
    path: str
    absent: Any = None
    of: str | Record = ""
    by: str = ""


@dataclass(frozen=True, eq=False)
class Record:
    """Values to make of tables of one kind.

    Attributes:
        type: The objects' class, whose ``__init__`` is not called; None for tuples.
        parts: Their attributes.
        needed: Of the first so many parts one has to be there, or a table stands for None; for
            the record of a part only.
    """

    type: type[Any] | None
    parts: tuple[Part, ...]
    needed: int = 0


class Scanned(NamedTuple):
    """A file that the verifier in C has taken, and what it has found."""

    schema: Schema
    found: Found
    reader: File


class Tables:
    """Tables of one kind of a file, which lie one behind the other in what was found.

    Args:
        file: The file.
        kind: The tables' name in its schema.
        place: Where the first one is in what was found.
        count: How many there are.
    """

    def __init__(self, file: Scanned, kind: str, place: int, count: int = 1) -> None:
        self._file = file
        self._kind = kind
        self._place = place
        self._count = count

    def __len__(self) -> int:
        return self._count

    def values(self, names: tuple[str, ...]) -> list[Values]:
        """Of every table the fields of these names, see :func:`values_of`."""
        found = self.made(_named(names), {})
        assert found is not None
        return found

    def made(self, record: Record, given: Mapping[str, Any]) -> list[Any] | None:
        """An object of every table; None where the reader in Python has to look at the file.

        ``given`` has what the record's parts are made with.
        """
        file = self._file
        plan = _plan(file.schema, self._kind, record)
        file.found.budget = file.reader.budget
        made = file.found.rows(self._place, plan.step, self._count, plan.form(file, given))
        if made is not None:
            file.reader.budget = file.found.budget
        return made

    def numbers(self, name: str) -> npt.NDArray[np.int64]:
        """Of every table the first number of what was found of a field, see ``ar_fb_kind``."""
        from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine

        schema, kind = self._file.schema, self._kind
        first, step = scan.place_of(schema, kind, name)[1], scan.row_width(schema, kind)
        found = self._file.found.numbers()[self._place :]
        return found[first : step * self._count : step]


class _Slices(NamedTuple):
    """Numbers that lie in the file."""

    dtype: np.dtype[Any]

    def __call__(self, file: Scanned, given: Mapping[str, Any]) -> Any:
        return file.reader.whole(self.dtype), partial(file.reader.array, dtype=self.dtype)


class _Decoded(NamedTuple):
    """A number that C has not read."""

    unpack: Callable[..., tuple[Any, ...]]

    def __call__(self, file: Scanned, given: Mapping[str, Any]) -> Any:
        unpack, data = self.unpack, file.reader.data
        return lambda place: unpack(data, place)[0]


class _Children(NamedTuple):
    """A table, or a vector of tables."""

    kind: str

    def __call__(self, file: Scanned, given: Mapping[str, Any]) -> Any:
        return partial(Tables, file, self.kind)


class _Given(NamedTuple):
    """Something that is given for the file."""

    name: str

    def __call__(self, file: Scanned, given: Mapping[str, Any]) -> Any:
        return given[self.name]


class _Plan(NamedTuple):
    """Plan of a record for C, with the maker of its values' makers: for one file."""

    fields: Fields
    absent: tuple[Any, ...]
    helpers: tuple[Callable[[Any, Mapping[str, Any]], Any] | None, ...]
    type: type[Any] | None
    names: tuple[str, ...]
    step: int

    def form(self, file: Scanned | None, given: Mapping[str, Any]) -> Form:
        """The same for a file, which is None for tables that need nothing of it."""
        helpers = [None if helper is None else helper(file, given) for helper in self.helpers]
        return self.fields.address, self.absent, tuple(helpers), self.type, self.names


def values_of(tables: Tables | Sequence[Row] | None, names: tuple[str, ...]) -> Iterable[Values]:
    """Of every table the fields of these names, of what :meth:`Reader.tables` gave.

    ``"child.name"`` is a field of the table in the field ``child``, None where there is none;
    ``"union.type"``, ``"union.position"`` and ``"union.empty"`` are those of a union whose tables
    the schema does not have, 0, 0 and False where there is none. A table, or a vector of tables, is
    something that this function takes.
    """
    if isinstance(tables, Tables):
        return tables.values(names)
    return [tuple([_value(row, name) for name in names]) for row in tables or ()]


def _value(row: Row, path: str) -> Any:
    name, _, rest = path.partition(".")
    value = row[name]
    if rest in _OF_UNIONS:
        return (0, 0, False)[_OF_UNIONS.index(rest)] if value is None else _of_union(value, rest)
    if rest:
        return None if value is None else _value(value, rest)
    return [value] if isinstance(value, dict) else value


def _of_union(union: Union, name: str) -> Any:
    return union.type if name == "type" else getattr(union.value, name)


def opaque(union: int, fields: Iterable[Field], made: type[Any], number: int) -> tuple[Any, ...]:
    """Tables of a union whose fields a file's schema does not have.

    Args:
        union: The union's type; tables of others stand for None.
        fields: Their fields.
        made: The class of the objects that they become, with the fields as attributes.
        number: Another one for each that is used with one file.

    Returns:
        An item of a part's ``of``.
    """
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine

    schema = Schema("opaque", "Table", b"", {"Table": tuple(fields)})
    parts = tuple(Part(field.name, field.name) for field in schema.tables["Table"])
    plan, verifier = _plan(schema, "Table", Record(made, parts)), scan.verifier(schema, number)
    return verifier.address, union, plan.form(None, {}), verifier


# -- what C is told -----------------------------------------------------------------------


@cache
def _named(names: tuple[str, ...]) -> Record:
    return Record(None, tuple(Part(name, name) for name in names))


@cache
def _plan(schema: Schema, kind: str, record: Record) -> _Plan:
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine
    from arenite.native.flatbuffer import Fields  # noqa: PLC0415 - as above

    told = [_told(schema, kind, part) for part in record.parts]
    fields, absent, helpers = zip(*told, strict=True) if told else ((), (), ())
    names = tuple(sys.intern(part.name) for part in record.parts)
    width = scan.row_width(schema, kind)
    return _Plan(Fields(fields), absent, helpers, record.type, names, width)


def _told(schema: Schema, kind: str, part: Part) -> tuple[tuple[int, ...], Any, Any]:
    """A field as C has it, what stands for it where it is not there, and its helper."""
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine
    from arenite.native import flatbuffer as native  # noqa: PLC0415 - as above

    name, _, rest = part.path.partition(".")
    field, column = scan.place_of(schema, kind, name)
    child = -1
    if rest and field.kind in schema.tables:
        child = column
        name, _, rest = rest.partition(".")
        field, column = scan.place_of(schema, field.kind, name)
    number = _OF_UNIONS.index(rest) if rest else 0
    told: tuple[int, int]
    helper: Any = None
    if isinstance(part.of, Record):
        inner = _plan(schema, field.kind, part.of)
        told, helper = (native.OBJECT, part.of.needed), inner.form
    elif part.by:
        told = native.OPAQUE, scan.place_of(schema, kind, part.by)[1]
        helper = _Given(part.of)
    elif part.of:
        told = native.PLACED if field.kind.startswith("union:") else native.ITEM, 0
        helper = _Given(part.of)
    elif not part.name:
        told = native.NOTHING, 0
    elif isinstance(part.absent, bytes):
        told = native.BYTES, 0
    else:
        told, helper = scan.part_of(schema, field, number), _helper(schema, field)
    absent = field.default if part.absent is None else part.absent
    return (child, column + number, *told), absent, helper


def _helper(schema: Schema, field: Field) -> Any:
    """Maker of what C makes values of a field with; None where it needs nothing."""
    element = field.kind.strip("[]")
    if element in schema.tables:
        return _Children(element)
    if field.kind.startswith("[") and not field.as_tuple and element in SCALARS:
        return _Slices(DTYPES[element])
    is_decoded = field.kind == "uint64"
    return _Decoded(SCALARS[field.kind].unpack_from) if is_decoded else None
