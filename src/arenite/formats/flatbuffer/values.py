"""Some fields of many tables: a tuple for every table, and no row of all that it has.

A model has hundreds of tables of few kinds, of which Python wants a few fields each. C makes the
tuples (``csrc/python/rows.c``) from what its verifier has found
(:mod:`arenite.formats.flatbuffer.scan`). Where there is no C they come from the rows that the
reader in Python has made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from arenite.formats.flatbuffer.schema import DTYPES, SCALARS, Field, Row, Schema, Union

if TYPE_CHECKING:
    import numpy as np

    from arenite.formats.flatbuffer.reader import Reader
    from arenite.native.flatbuffer import Found, Parts

Values = tuple[Any, ...]

#: The numbers of a union whose tables the schema does not have.
_OF_UNIONS = ("type", "position", "empty")


class Scanned(NamedTuple):
    """A file that the verifier in C has taken, and what it has found."""

    schema: Schema
    found: Found
    reader: Reader


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
        file = self._file
        parts, helpers = _plan(file.schema, self._kind, names)
        made = tuple([None if helper is None else helper(file) for helper in helpers])

        def loose(number: int, start: int, count: int) -> Any:
            helper = helpers[number]
            assert isinstance(helper, _Slices)
            return file.reader.array(start, count, helper.dtype)

        return file.found.rows(parts, self._place, self._count, made, loose)


class _Slices(NamedTuple):
    """Numbers that lie in the file."""

    dtype: np.dtype[Any]

    def __call__(self, file: Scanned) -> Any:
        return file.reader.whole(self.dtype)


class _Decoded(NamedTuple):
    """A number that C has not read."""

    unpack: Callable[..., tuple[Any, ...]]

    def __call__(self, file: Scanned) -> Any:
        unpack, data = self.unpack, file.reader.data
        return lambda place: unpack(data, place)[0]


class _Children(NamedTuple):
    """A table, or a vector of tables."""

    kind: str

    def __call__(self, file: Scanned) -> Any:
        return partial(Tables, file, self.kind)


#: What makes that with which C makes a field's values: of a file.
_Helper = _Slices | _Decoded | _Children


def _helper(schema: Schema, field: Field) -> _Helper:
    element = field.kind.strip("[]")
    if element in schema.tables:
        return _Children(element)
    if field.kind in SCALARS:
        return _Decoded(SCALARS[field.kind].unpack_from)
    return _Slices(DTYPES[element])


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


# -- what C is told -----------------------------------------------------------------------


@cache
def _plan(
    schema: Schema, kind: str, names: tuple[str, ...]
) -> tuple[Parts, tuple[_Helper | None, ...]]:
    """What C is told of the fields, and what it needs of the file for some of them."""
    from arenite.formats.flatbuffer import scan  # noqa: PLC0415 - needs the engine
    from arenite.native.flatbuffer import Parts  # noqa: PLC0415 - as above

    numbers: list[tuple[int, ...]] = []
    absent: list[Any] = []
    helpers: list[_Helper | None] = []
    for path in names:
        name, _, rest = path.partition(".")
        field, column = scan.place_of(schema, kind, name)
        child = -1
        if rest and field.kind in schema.tables:
            child = column
            name, _, rest = rest.partition(".")
            field, column = scan.place_of(schema, field.kind, name)
        number = _OF_UNIONS.index(rest) if rest else 0
        part, item = scan.part_of(schema, field, number)
        numbers.append((child, column + number, part, item))
        absent.append(field.default)
        helpers.append(_helper(schema, field) if part in scan.HELPED else None)
    return Parts(numbers, tuple(absent), scan.row_width(schema, kind)), tuple(helpers)
