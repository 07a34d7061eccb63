"""What two assemblers make of the same instructions: GNU's and zig's clang's."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from arenite.cores import Core
from arenite.firmware.compiler.toolchain import Toolchain, gnu_compiler
from arenite.firmware.compiler.zig import run_compiler

#: Blocks whose instructions belong to the first: IT (of Thumb-2), VPT and VPST (of vectors).
_BLOCK = re.compile(r"it([te]{0,3})$|vps?t([te]{0,3})(\.|$)")
_COMMENT = re.compile(r"@.*|/\*.*?\*/|//.*")
#: Numbers are moved and added by one of several encodings, whichever an assembler prefers.
_EITHER = re.compile(r"(mov|add|sub)\w*(\.w)? [^#]*#-?\d+")
#: Registers, shifts and conditions: what else an operand names is a place.
_OPERAND = re.compile(
    r"[rsdq]\d+|sp|lr|pc|ip|fp|sl|sb|vpr|apsr_nzcv|fpscr|p0|[la]s[lr]|ror|rrx|uxtw|e\d+|x[0-9a-f]+"
    r"|eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al"
)
_HEAD = ".syntax unified\n.thumb\n"


def assembly_of(file: Path, into: Path, core: Core, toolchain: Toolchain) -> str:
    """The text that a compiler makes of a file of C, or a file's own if it is one of assembly."""
    out = into / f"{file.stem}_{toolchain.compiler}_{toolchain.level}.s"
    flags = [*toolchain.flags(core), "-g0", "-E" if file.suffix == ".S" else "-S"]
    _compile([*flags, str(file), "-o", str(out)], into, core, toolchain)
    return out.read_text("utf-8")


def units(text: str) -> set[str]:
    """All instructions without a place in them, each with those whose conditions it sets."""
    found, lines = set[str](), list(_instructions(text))
    while lines:
        first = lines.pop(0)
        block = _BLOCK.match(first.split()[0])
        more = 1 + len(block[1] or block[2] or "") if block else 0
        unit, lines = [first, *lines[:more]], lines[more:]
        if not any(map(_has_place, unit)):
            found.add("\n".join(unit))
    return found


def encoded(some: Iterable[str], into: Path, core: Core, compiler: Toolchain) -> list[bytes]:
    """Bytes of some units, in their order."""
    source, out = into / "units.s", into / f"units_{compiler.compiler}.o"
    places = (f'.section .u{i},"ax",%progbits\n{unit}\n' for i, unit in enumerate(some))
    source.write_text(_HEAD + "".join(places))
    _compile([*compiler.flags(core), "-c", str(source), "-o", str(out)], into, core, compiler)
    sections = dict(_sections(out.read_bytes()))
    return [sections[f".u{i}"] for i in range(sum(name.startswith(".u") for name in sections))]


def differing(some: Iterable[str], into: Path, core: Core) -> list[str]:
    """Units that the assemblers encode differently, and not just by another form of a constant."""
    given = sorted(some)
    both = (encoded(given, into, core, Toolchain(one)) for one in ("zig", "gcc"))
    pairs = zip(given, *both, strict=True)
    return [unit for unit, one, two in pairs if one != two and not _is_either(unit)]


def _is_either(unit: str) -> bool:
    lines = unit.split("\n")
    return all(_EITHER.fullmatch(one) for one in (lines[1:] or lines))


def _compile(arguments: list[str], into: Path, core: Core, compiler: Toolchain) -> None:
    other = gnu_compiler(core) if compiler.compiler == "gcc" else None
    run_compiler(arguments, into, arguments[-3], other)


def _instructions(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for one in _COMMENT.sub("", line).split(";"):
            bare = re.sub(r"^[\w.$]+:", "", one.strip()).strip().lower()
            bare = re.sub(r"^(vmlas?)\.i", r"\1.s", bare)  # GNU as has no other name for it
            if bare and not bare.startswith((".", "#")):
                yield re.sub(r"\s+", " ", bare)


def _has_place(unit: str) -> bool:
    rest = unit.partition(" ")[2]
    named = re.findall(r"[a-z_.$][\w.$]*", re.sub(r"\{[^}]*\}", "", rest))
    return "=" in rest or not all(_OPERAND.fullmatch(one) for one in named)


def _sections(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of an object's sections (``Elf32_Shdr``)."""
    (start,) = struct.unpack_from("<I", data, 32)
    size, count, names = struct.unpack_from("<3H", data, 46)
    rows = [struct.unpack_from("<10I", data, start + i * size) for i in range(count)]
    for name, _, _, _, at, length, *_ in rows:
        begin = rows[names][4] + name
        yield data[begin : data.index(b"\0", begin)].decode(), data[at : at + length]
