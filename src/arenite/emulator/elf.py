"""Linked firmware for a 32-bit Arm core: memory to load, and where functions are.

Facts: the ELF specification (``Elf32_Ehdr``, ``Elf32_Phdr``, ``Elf32_Shdr``, ``Elf32_Sym``).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_LOAD, _SYMBOLS = 1, 2
_ALLOCATED, _FUNCTION = 2, 2


@dataclass(frozen=True)
class Section:
    """A part of an image that takes memory: its name, address and bytes."""

    name: str
    address: int
    size: int


@dataclass(frozen=True)
class Image:
    """A linked program.

    Attributes:
        segments: What is loaded: addresses and bytes.
        symbols: Addresses by name; a function's have no Thumb bit.
        functions: Names and bytes of all functions, of static ones too.
        sections: All parts that take memory.
    """

    segments: tuple[tuple[int, bytes], ...]
    symbols: dict[str, int]
    functions: tuple[tuple[str, int], ...]
    sections: tuple[Section, ...]


def read_elf(data: bytes) -> Image:
    """Read what a linker wrote.

    Raises:
        ValueError: It is no little-endian 32-bit ELF file.
    """
    if data[:6] != b"\x7fELF\x01\x01":
        raise ValueError(f"expected a little-endian 32-bit ELF file, got {data[:6]!r}")
    headers, sections = struct.unpack_from("<II", data, 28)
    size, count, section_size, section_count, names = struct.unpack_from("<HHHHH", data, 42)
    rows = [
        struct.unpack_from("<10I", data, sections + i * section_size) for i in range(section_count)
    ]
    strings = rows[names][4]
    symbols = [one for row in rows if row[1] == _SYMBOLS for one in _symbols(data, row, rows)]
    return Image(
        segments=tuple(_segments(data, headers, size, count)),
        symbols={symbol.name: symbol.address for symbol in symbols},
        functions=tuple((symbol.name, symbol.size) for symbol in symbols if symbol.is_function),
        sections=tuple(
            Section(_text(data, strings + row[0]), row[3], row[5])
            for row in rows
            if row[2] & _ALLOCATED and row[5]
        ),
    )


def _segments(data: bytes, start: int, size: int, count: int) -> Iterator[tuple[int, bytes]]:
    for i in range(count):
        kind, offset, address, _, filled, _, _, _ = struct.unpack_from(
            "<8I", data, start + i * size
        )
        if kind == _LOAD and filled:
            yield address, data[offset : offset + filled]


class _Symbol(NamedTuple):
    name: str
    address: int
    size: int
    is_function: bool


def _symbols(data: bytes, table: tuple[int, ...], rows: list[tuple[int, ...]]) -> Iterator[_Symbol]:
    strings = rows[table[6]][4]
    for at in range(table[4], table[4] + table[5], 16):
        name, value, size, info, _, section = struct.unpack_from("<IIIBBH", data, at)
        if name and section:
            is_function = info & 15 == _FUNCTION
            address = value & ~1 if is_function else value
            yield _Symbol(_text(data, strings + name), address, size, is_function)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "backslashreplace")
