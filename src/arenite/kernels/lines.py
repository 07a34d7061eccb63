"""Lines of source behind places in a library: DWARF 4's line tables in an ELF file of 64 bits.

Facts: the DWARF 4 standard, section 6.2; only what zig's clang writes with ``-gline-tables-only``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_COPY, _ADVANCE, _ADVANCE_LINE, _FILE, _CONST_ADD, _FIXED = 1, 2, 3, 4, 8, 9
_END, _SET_ADDRESS = 1, 2


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


@lru_cache(maxsize=8)
def _rows(library: Path) -> tuple[tuple[Row, int], ...]:
    """All rows, each with where it ends; none where the file is of another kind."""
    try:
        rows = list(_units(_section(library.read_bytes(), b".debug_line")))
    except (struct.error, IndexError, ValueError):
        return ()
    pairs = pairwise(rows)
    return tuple((row, after.address) for row, after in pairs if not row.is_end)


def _section(data: bytes, wanted: bytes) -> bytes:
    if data[:5] != b"\x7fELF\x02":
        return b""
    (begin,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)

    def header(number: int) -> tuple[int, int, int]:
        at = begin + number * size
        return (*struct.unpack_from("<I", data, at), *struct.unpack_from("<QQ", data, at + 24))

    texts = header(names)[1]
    for number in range(count):
        name, offset, length = header(number)
        if data[texts + name :].startswith(wanted + b"\0"):
            return data[offset : offset + length]
    return b""


class _Reader:
    """Numbers and texts one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return int(value)

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self) -> int:
        begin = self.at
        value = self.unsigned()
        bits = 7 * (self.at - begin)
        return value - (1 << bits) if value >> (bits - 1) else value

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode(errors="replace")
        self.at = end + 1
        return found


def _units(data: bytes) -> Iterator[Row]:
    at = 0
    while at < len(data):
        length, version = struct.unpack_from("<IH", data, at)
        if version == 4:
            yield from _unit(data, at, at + 4 + length)
        at += 4 + length


@dataclass
class _State:
    """The registers of a line program."""

    address: int = 0
    file: int = 1
    line: int = 1


class _Program(NamedTuple):
    """The header of a line-number unit: how its special opcodes count, and its files."""

    step: int
    base: int
    width: int
    first: int
    lengths: list[int]
    files: list[str]


def _unit(data: bytes, begin: int, end: int) -> Iterator[Row]:
    read = _Reader(data, begin + 6)
    program, state = _header(read), _State()
    while read.at < end:
        code = read.take("B")
        is_row, is_end = _run(code, read, program, state)
        if is_row:
            files = program.files
            name = Path(files[state.file - 1]).name if files else ""
            yield Row(state.address, name, state.line, is_end)
        if is_end:
            state = _State()


def _header(read: _Reader) -> _Program:
    end = read.take("I")
    end += read.at
    step = read.take("B")
    read.at += 2  # operations in an instruction, whether rows are statements
    base, width, first = read.take("b"), read.take("B"), read.take("B")
    lengths = [read.take("B") for _ in range(first - 1)]
    while read.text():
        pass  # folders
    files = []
    while name := read.text():
        files.append(name)
        for _ in range(3):
            read.unsigned()
    read.at = end
    return _Program(step, base, width, first, lengths, files)


def _run(code: int, read: _Reader, program: _Program, state: _State) -> tuple[bool, bool]:
    """Run an instruction; whether that makes a row, and whether the last one."""
    if code >= program.first:
        state.address += (code - program.first) // program.width * program.step
        state.line += program.base + (code - program.first) % program.width
        return True, False
    if code == 0:
        return _extended(read, state)
    if code == _COPY:
        return True, False
    if code == _ADVANCE:
        state.address += read.unsigned() * program.step
    elif code == _ADVANCE_LINE:
        state.line += read.signed()
    elif code == _FILE:
        state.file = read.unsigned()
    elif code == _CONST_ADD:
        state.address += (255 - program.first) // program.width * program.step
    elif code == _FIXED:
        state.address += read.take("H")
    else:
        for _ in range(program.lengths[code - 1]):
            read.unsigned()
    return False, False


def _extended(read: _Reader, state: _State) -> tuple[bool, bool]:
    size = read.unsigned()
    after = read.at + size
    kind = read.take("B")
    if kind == _SET_ADDRESS:
        state.address = read.take("Q")
    read.at = after
    return kind == _END, kind == _END
