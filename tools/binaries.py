"""What an extension module is compiled for and asks of the system: ELF, Mach-O, PE."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import lief

lief.logging.disable()  # a Mach-O file without symbols is none of its problems


@dataclass(frozen=True)
class Binary:
    """A shared library.

    Attributes:
        target: CMAKE_SYSTEM_NAME and CMAKE_SYSTEM_PROCESSOR of what it is compiled for.
        libraries: What it is linked with; the names of Windows' in lower case, and without its
            universal C runtime.
        imports, exports: Names in C.
        versions: Of a library or system, the ones that it needs: ``GLIBC_2.17``, ``macos 11.0``.
        problems: What no such file should be.
    """

    target: tuple[str, str]
    libraries: frozenset[str]
    imports: frozenset[str]
    exports: frozenset[str]
    versions: frozenset[str] = frozenset()
    problems: tuple[str, ...] = field(default=())


def read_binary(data: bytes) -> Binary:
    """An extension module.

    Raises:
        ValueError: It is none.
    """
    parsed = lief.parse(data)
    if isinstance(parsed, lief.ELF.Binary):
        return _elf(parsed)
    if isinstance(parsed, lief.MachO.Binary):
        return _mach_o(parsed, data)
    if isinstance(parsed, lief.PE.Binary):
        return _pe(parsed)
    raise ValueError(f"expected ELF, Mach-O or PE, got {data[:4]!r}")


def _elf(elf: lief.ELF.Binary) -> Binary:
    processors = {lief.ELF.ARCH.X86_64: "x86_64", lief.ELF.ARCH.AARCH64: "aarch64"}
    needed = {
        version.name
        for library in elf.symbols_version_requirement
        for version in library.get_auxiliary_symbols()
    }
    paths = {lief.ELF.DynamicEntry.TAG.RPATH, lief.ELF.DynamicEntry.TAG.RUNPATH}
    problems = ["has a search path"] if any(e.tag in paths for e in elf.dynamic_entries) else []
    stacks = [one for one in elf.segments if one.type == lief.ELF.Segment.TYPE.GNU_STACK]
    if any(lief.ELF.Segment.FLAGS.X in one.flags for one in stacks):
        problems.append("has an executable stack")
    return Binary(
        ("Linux", processors.get(elf.header.machine_type, str(elf.header.machine_type))),
        frozenset(map(str, elf.libraries)),
        frozenset(str(symbol.name) for symbol in elf.dynamic_symbols if not symbol.shndx),
        frozenset(str(symbol.name) for symbol in elf.exported_symbols),
        frozenset(needed),
        tuple(problems),
    )


def _mach_o(mach: lief.MachO.Binary, data: bytes) -> Binary:
    arm = mach.header.cpu_type == lief.MachO.Header.CPU_TYPE.ARM64
    kinds = {lief.MachO.Header.FILE_TYPE.DYLIB, lief.MachO.Header.FILE_TYPE.BUNDLE}
    problems = [] if mach.header.file_type in kinds else [f"is a {mach.header.file_type}"]
    if arm or mach.has_code_signature:
        problems += _wrong_signature(mach, data)
    minimum = ".".join(map(str, mach.build_version.minos[:2]))
    own = [c.name for c in mach.libraries if c.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB]
    linker = {"_mh_dylib_header", "__dso_handle"}
    return Binary(
        ("Darwin", "arm64" if arm else "x86_64"),
        frozenset(str(one.name) for one in mach.libraries) - set(own),
        frozenset(_in_c(symbol.name) for symbol in mach.imported_symbols),
        frozenset(_in_c(symbol.name) for symbol in mach.exported_symbols) - linker,
        frozenset({f"macos {minimum}"}),
        tuple(problems),
    )


def _in_c(name: str | bytes) -> str:
    return str(name).removeprefix("_")


def _wrong_signature(mach: lief.MachO.Binary, data: bytes) -> Iterator[str]:
    """What is wrong with the code signature, without which Apple's own processors run nothing.

    Facts: Darwin's ``osfmk/kern/cs_blobs.h``: CS_SuperBlob, CS_CodeDirectory, in big-endian order.
    """
    if not mach.has_code_signature:
        yield "has no code signature"
        return
    blob = data[mach.code_signature.data_offset :]
    magic, _, count = struct.unpack_from(">3I", blob)
    slots = [struct.unpack_from(">2I", blob, 12 + 8 * number) for number in range(count)]
    start = next((offset for kind, offset in slots if kind == 0), None)
    if magic != 0xFADE0CC0 or start is None:
        yield "has a code signature of another form"
        return
    directory = blob[start:]
    hashes, _, _, pages, limit = struct.unpack_from(">5I", directory, 16)
    size, kind, _, shift = struct.unpack_from("4B", directory, 36)
    if kind != 2 or limit != mach.code_signature.data_offset:
        yield "has a code signature that is not of SHA-256 over all of the code"
        return
    for page in range(pages):
        code = data[page << shift : min((page + 1) << shift, limit)]
        expected = directory[hashes + page * size : hashes + (page + 1) * size]
        if hashlib.sha256(code).digest() != expected:
            yield f"has a wrong hash of page {page} in its code signature"


def _pe(pe: lief.PE.Binary) -> Binary:
    amd64 = pe.header.machine == lief.PE.Header.MACHINE_TYPES.AMD64
    libraries = {str(one.name).lower(): one for one in pe.imports}
    own = {name for name in libraries if not name.startswith("api-ms-win-crt-")}
    exports = pe.get_export().entries if pe.has_exports else []
    return Binary(
        ("Windows", "AMD64" if amd64 else str(pe.header.machine)),
        frozenset(own),
        frozenset(str(entry.name) for one in libraries.values() for entry in one.entries),
        frozenset(str(entry.name) for entry in exports),
        problems=() if amd64 and pe.has_relocations else ("has no relocations",),
    )
