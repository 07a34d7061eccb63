"""Linked firmware for a 32-bit Arm core: memory to load, and where functions are; by pyelftools."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

#: ``SHF_ALLOC`` of a section's flags.
_ALLOCATED = 2


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
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - of the extra board
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    try:
        return _image(ELFFile(io.BytesIO(data)))
    except ELFError as error:
        raise ValueError(f"expected an ELF file that is whole, got {error}") from error


def _image(elf: Any) -> Image:
    symbols = list(_symbols(elf))
    loaded = (segment for segment in elf.iter_segments("PT_LOAD") if segment["p_filesz"])
    allocated = (
        section
        for section in elf.iter_sections()
        if section["sh_flags"] & _ALLOCATED and section["sh_size"]
    )
    return Image(
        segments=tuple((segment["p_vaddr"], segment.data()) for segment in loaded),
        symbols={symbol.name: symbol.address for symbol in symbols},
        functions=tuple((symbol.name, symbol.size) for symbol in symbols if symbol.is_function),
        sections=tuple(
            Section(section.name, section["sh_addr"], section["sh_size"]) for section in allocated
        ),
    )


class _Symbol(NamedTuple):
    name: str
    address: int
    size: int
    is_function: bool


def _symbols(elf: Any) -> Iterator[_Symbol]:
    for table in elf.iter_sections():
        if table["sh_type"] != "SHT_SYMTAB":
            continue
        for symbol in table.iter_symbols():
            if symbol.name and symbol["st_shndx"] != "SHN_UNDEF":
                is_function = symbol["st_info"]["type"] == "STT_FUNC"
                value = symbol["st_value"]
                address = value & ~1 if is_function else value
                yield _Symbol(symbol.name, address, symbol["st_size"], is_function)
