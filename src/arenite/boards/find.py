"""A board by its name, by its chip's, or from a file of the user's."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from arenite.boards.board import Board
from arenite.boards.reading import BoardFileError, board_of, chips_of, parsed
from arenite.cores import CORES, full_name
from arenite.options import instance, takes

_DATA = Path(__file__).parent / "data"


@cache
def _tables() -> tuple[dict[str, dict[str, Any]], tuple[Board, ...]]:
    chips: dict[str, dict[str, Any]] = {}
    waiting = []
    for path in sorted(_DATA.glob("*.toml")):
        tables = parsed(path)
        chips |= chips_of(tables.get("chips", []), path.name)
        waiting += [(table, path.name) for table in tables.get("boards", [])]
    found = [board_of(table, chips, f"{file}, {table.get('name')}") for table, file in waiting]
    return chips, tuple(found)


def boards() -> tuple[Board, ...]:
    """All boards of the list, by name."""
    return tuple(sorted(_tables()[1], key=lambda board: board.name))


@takes(name=instance(str, expected="a board's name or a file"))
def find_board(name: str) -> Board:
    """A board by its name or its chip's, without case and dashes; or a TOML file of one.

    A chip's name, or how it begins (``"STM32H743"``), is the first board with that chip.

    Raises:
        ValueError: There is none of that name; says which are like it. Or the file does not say
            what a board is.
        TypeError: It is no text.
        OSError: The file cannot be read.
    """
    if name.strip().lower().endswith(".toml"):
        return _from_file(Path(name.strip()))
    wanted = _plain(name)
    known = _tables()[1]
    for board in known:
        if wanted in map(_plain, (board.name, *board.aliases)):
            return board
    chips = [board for board in known if wanted and _plain(board.chip).startswith(wanted)]
    exact = [board for board in chips if _plain(board.chip) == wanted]
    kinds = sorted({board.chip for board in exact or chips})
    if len(kinds) == 1:
        return (exact or chips)[0]
    if kinds:
        raise ValueError(f"expected one chip, got {name!r}: is it {' or '.join(kinds)}?")
    names = {_plain(one): one for board in known for one in (board.chip, board.name)}
    close = [names[one] for one in get_close_matches(wanted, names, 3, 0.5)]
    hint = f"is it {' or '.join(close)}? " if close else ""
    raise ValueError(
        f"expected a board, a chip or a .toml file, got {name!r}: {hint}"
        "`arenite boards` lists them, and docs/boards.md describes a file of your own"
    )


def _from_file(path: Path) -> Board:
    table = parsed(path)
    board = board_of(table, _tables()[0], f"'{path}'")
    if not board.regions:
        raise BoardFileError(f"'{path}': expected [[banks]] of RAM, at least one that holds data")
    if full_name(board.processor) not in CORES:
        known = ", ".join(core for core in CORES if core != "host")
        raise BoardFileError(f"'{path}': expected a processor of {known}; got {board.processor!r}")
    return board


def _plain(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[^a-z0-9+]", "", name.lower())
