"""Lines of source behind places in a library, from its DWARF line tables; by pyelftools."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from arenite.files import read_file


class Row(NamedTuple):
    """Instructions from an address on, up to the next row, are of a line."""

    address: int
    file: str
    line: int
    is_end: bool


def line_of(library: Path, place: int) -> str:
    """``my_op.cc:52`` for a place in a library; empty where that is not known."""
    found = ""
    for one, behind in _rows(library):
        if one.address <= place < behind:
            found = f"{one.file}:{one.line}"
    return found


def first_line(library: Path, places: Sequence[int]) -> str:
    """The line of an instruction, or of the first known call that led to it; empty for none."""
    lines = (line_of(library, place - bool(number)) for number, place in enumerate(places))
    return next(filter(None, lines), "")


@lru_cache(maxsize=8)
def _rows(library: Path) -> tuple[tuple[Row, int], ...]:
    """All rows, each with where it ends; none where the file is of another kind."""
    try:
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - of the extra board

        rows = list(_all_rows(ELFFile(io.BytesIO(read_file(library)))))
    except Exception:  # the library may be anything: a line is a help, and its lack no fault
        return ()
    pairs = pairwise(rows)
    return tuple((row, after.address) for row, after in pairs if not row.is_end)


def _all_rows(elf: Any) -> Iterator[Row]:
    if not elf.has_dwarf_info():
        return
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is not None:
            yield from _rows_of(program)


def _rows_of(program: Any) -> Iterator[Row]:
    first = 1 if program["version"] < 5 else 0  # files are counted from there
    names = [Path(entry.name.decode(errors="replace")).name for entry in program["file_entry"]]
    for entry in program.get_entries():
        state = entry.state
        if state is not None:
            name = names[state.file - first] if names else ""
            yield Row(state.address, name, state.line, state.end_sequence)
