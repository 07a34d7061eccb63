"""TOML to boards: every key is checked, and an error says which table it is in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from arenite.accelerators import ACCELERATORS, accelerator_name
from arenite.boards.board import Bank, Board, Cache, Energy, FlashWaits, Holds, Stalls, Usable
from arenite.documents import read_toml
from arenite.quantity import bytes_of, megahertz_of
from arenite.sdks import find

_SHARED = ("processor", "clock", "flash", "reading", "source", "aliases", "banks", "note")
_BUILT = ("usable", "stalls", "optimize", "sdks")
_CHIP = ("name", *_SHARED, "energy", "waits", "npus", *_BUILT)
_BOARD = ("name", "chip", *_SHARED, "npus", "energy", "waits", *_BUILT)
_CACHE = ("size", "line", "ways")
_BANK = ("name", "size", "address", "holds", "note")


class BoardFileError(ValueError):
    """A file of boards does not say what a board is."""


def parsed(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        BoardFileError: It is not one.
        OSError: It cannot be read.
    """
    try:
        return read_toml(path)
    except ValueError as error:
        raise BoardFileError(f"'{path}': expected TOML: {error}") from None


def board_of(table: Mapping[str, Any], chips: Mapping[str, Mapping[str, Any]], where: str) -> Board:
    """A ``[[boards]]`` table, its chip's facts behind its own; or one that is a board by itself.

    Args:
        table: Its keys.
        chips: Tables of chips, by name in lower case.
        where: For messages: the file, and what in it.

    Raises:
        BoardFileError: A key is missing, unknown, or has a value that it cannot have.
    """
    _known(table, _BOARD, where)
    chip: Mapping[str, Any] = {}
    if "chip" in table:
        name = _text(table, "chip", where)
        chip = chips.get(name.lower(), {})
        if not chip and not {"processor", "banks"} <= table.keys():
            raise BoardFileError(
                f"{where}: chip {name!r} is not in the list of arenite boards: expected keys "
                f"processor, clock, flash and banks as well"
            )
    both = {**chip, **table}
    aliases = (*_texts(table, "aliases", where), *_texts(chip, "aliases", where))
    sources = [_text(one, "source", where, "") for one in (table, chip)]
    return Board(
        name=_text(table, "name", where),
        chip=_text(chip, "name", where, _text(both, "chip", where, _text(both, "name", where))),
        processor=_text(both, "processor", where),
        clock=_quantity(megahertz_of, both, "clock", where),
        banks=tuple(
            _bank(bank, f"{where}, bank {number}")
            for number, bank in enumerate([*chip.get("banks", ()), *_tables(table, "banks", where)])
        ),
        flash=_quantity(bytes_of, both, "flash", where) if "flash" in both else None,
        reading=_text(both, "reading", where, ""),
        source="; ".join(source for source in sources if source),
        aliases=aliases,
        energy=_energy(both.get("energy"), where),
        note=_text(both, "note", where, ""),
        waits=_waits(both.get("waits"), where),
        npus=_npus(both, where),
        usable=_usable(both.get("usable"), where),
        stalls=_stalls(both.get("stalls"), where),
        optimize=_text(both, "optimize", where, ""),
        sdks=_sdks(both, where),
    )


def chips_of(tables: list[dict[str, Any]], where: str) -> dict[str, dict[str, Any]]:
    """``[[chips]]`` by name in lower case.

    Raises:
        BoardFileError: One has a key that no chip has, or no name.
    """
    for table in tables:
        _known(table, _CHIP, where)
    return {_text(table, "name", where).lower(): table for table in tables}


def _bank(table: Mapping[str, Any], where: str) -> Bank:
    _known(table, _BANK, where)
    holds: Any = _text(table, "holds", where, "data")
    if holds not in get_args(Holds):
        raise BoardFileError(
            f"{where}: expected holds to be one of {', '.join(get_args(Holds))}; got {holds!r}"
        )
    address = table.get("address")
    if address is not None and not (type(address) is int and 0 <= address < 1 << 32):
        raise BoardFileError(f"{where}: expected an address from 0 to 0xffffffff, got {address!r}")
    size = _quantity(bytes_of, table, "size", where)
    if not size:
        raise BoardFileError(f"{where}: expected a size above 0")
    return Bank(
        _text(table, "name", where),
        size,
        address,
        holds,
        _text(table, "note", where, ""),
    )


def _energy(table: Any, where: str) -> Energy | None:
    if table is None:
        return None
    match table:
        case {
            "picojoules": [int() | float() as low, int() | float() as high],
            "source": str(source),
        }:
            if 0 < low <= high:
                return Energy((float(low), float(high)), source)
    raise BoardFileError(
        f"{where}: expected energy = {{ picojoules = [least, most], source = ... }}, got {table!r}"
    )


def _usable(table: Any, where: str) -> Usable | None:
    if table is None:
        return None
    place = f"{where}, usable"
    _known(table, ("size", "source"), place)
    return Usable(_quantity(bytes_of, table, "size", place), _text(table, "source", place))


_TERMS = ("instruction", "byte", "operator", "least", "most")


def _stalls(table: Any, where: str) -> Stalls | None:
    if table is None:
        return None
    place = f"{where}, stalls"
    _known(table, (*_TERMS, "computing", "source"), place)
    terms = {name: table.get(name, 0) for name in _TERMS} | {"computing": table.get("computing", 1)}
    if not all(type(one) in (int, float) and 0 <= one < 1e9 for one in terms.values()):
        raise BoardFileError(f"{place}: expected {', '.join(terms)} from 0, got {table!r}")
    if terms["least"] >= 1 or not terms["computing"]:
        raise BoardFileError(f"{place}: expected least below 1 and computing above 0")
    return Stalls(**terms, source=_text(table, "source", place))


def _waits(table: Any, where: str) -> FlashWaits | None:
    if table is None:
        return None
    place = f"{where}, waits"
    _known(table, ("cycles", "code", "data", "shared", "source"), place)
    caches = sorted(table.keys() & {"code", "data", "shared"})
    if caches not in ([], ["shared"], ["code", "data"]):
        raise BoardFileError(f"{place}: expected code and data, or shared, a cache each, or none")
    found = [_cache(table[one], place) for one in caches]
    code, data = (found[0], found[-1]) if found else (None, None)
    is_shared = caches == ["shared"]
    cycles = table.get("cycles")
    if type(cycles) is not int or not 0 <= cycles <= 10_000:
        raise BoardFileError(f"{place}: expected cycles from 0 to 10000, got {cycles!r}")
    return FlashWaits(cycles, code, data, is_shared, _text(table, "source", place))


def _cache(table: Any, where: str) -> Cache:
    _known(table, _CACHE, where)
    size = _quantity(bytes_of, table, "size", where)
    line, ways = table.get("line"), table.get("ways")
    are_counts = type(line) is int and type(ways) is int and min(line, ways, size) > 0
    if are_counts and size % (line * ways) == 0:
        return Cache(size, line, ways)
    raise BoardFileError(
        f"{where}: expected a cache of whole sets, {{ size, line, ways }}; got {table!r}"
    )


def _known(table: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(table, dict):
        raise BoardFileError(f"{where}: expected a table, got {table!r}")
    unknown = sorted(table.keys() - set(keys))
    if unknown:
        raise BoardFileError(f"{where}: expected keys of {', '.join(keys)}; got {unknown[0]!r}")


def _text(table: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    found = table.get(key, default)
    if not isinstance(found, str) or (default is None and not found.strip()):
        raise BoardFileError(f"{where}: expected {key} = a text, got {found!r}")
    return found


def _texts(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BoardFileError(f"{where}: expected {key} = a list of texts, got {found!r}")
    return tuple(found)


def _npus(table: Mapping[str, Any], where: str) -> tuple[str, ...]:
    found = tuple(accelerator_name(one) for one in _texts(table, "npus", where))
    for one in found:
        if not any(one == name or name.startswith(f"{one}-") for name in ACCELERATORS):
            raise BoardFileError(
                f"{where}: expected npus of {', '.join(ACCELERATORS)}, or a family such as "
                f"ethos-u55; got {one!r}"
            )
    return found


def _sdks(table: Mapping[str, Any], where: str) -> tuple[str, ...]:
    found = _texts(table, "sdks", where)
    for one in found:
        try:
            find(one)
        except ValueError as error:
            raise BoardFileError(f"{where}: {error}") from None
    return found


def _tables(table: Mapping[str, Any], key: str, where: str) -> list[Any]:
    found = table.get(key, [])
    if not isinstance(found, list):
        raise BoardFileError(f"{where}: expected {key} = a list of tables, got {found!r}")
    return found


def _quantity(read: Any, table: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in table:
        raise BoardFileError(
            f"{where}: expected {key} = such as {'80' if key == 'clock' else '96k'}"
        )
    try:
        return read(table[key])
    except ValueError as error:
        raise BoardFileError(f"{where}, {key}: {error}") from None
