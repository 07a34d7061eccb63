"""Where Arenite runs natively: the one table of platforms, and what each wheel is built with.

A wheel's name carries the platform's tag. Its versions are the oldest system that the wheel runs
on, and what zig is told to link for: glibc 2.17 (manylinux2014), musl 1.2, macOS 11 on Apple's own
processors and 10.15 before. ``windows-gnu`` is the ABI of C that MSVC has, with the
universal C runtime of Windows 10.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """A system and processor with a wheel.

    Attributes:
        tag: Of its wheel (PEP 425, PEP 600, PEP 656).
        target: What zig compiles for.
        system: CMAKE_SYSTEM_NAME.
        processor: CMAKE_SYSTEM_PROCESSOR.
        libraries: What the extension module may ask the system for.
    """

    tag: str
    target: str
    system: str
    processor: str
    libraries: frozenset[str]


_GLIBC = frozenset({"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"})
_MUSL = frozenset({"libc.so"})
_MAC = frozenset({"/usr/lib/libSystem.B.dylib"})
# Besides these, all of api-ms-win-crt-*: Windows' universal C runtime.
_WINDOWS = frozenset({"python3.dll", "kernel32.dll"})

PLATFORMS = (
    Platform("manylinux_2_17_x86_64", "x86_64-linux-gnu.2.17", "Linux", "x86_64", _GLIBC),
    Platform(
        "manylinux_2_17_aarch64",
        "aarch64-linux-gnu.2.17",
        "Linux",
        "aarch64",
        _GLIBC | {"ld-linux-aarch64.so.1"},
    ),
    Platform("musllinux_1_2_x86_64", "x86_64-linux-musl", "Linux", "x86_64", _MUSL),
    Platform("musllinux_1_2_aarch64", "aarch64-linux-musl", "Linux", "aarch64", _MUSL),
    Platform("macosx_11_0_arm64", "aarch64-macos.11.0", "Darwin", "arm64", _MAC),
    Platform("macosx_10_15_x86_64", "x86_64-macos.10.15", "Darwin", "x86_64", _MAC),
    Platform("win_amd64", "x86_64-windows-gnu", "Windows", "AMD64", _WINDOWS),
)
BY_TAG = {platform.tag: platform for platform in PLATFORMS}
#: Elsewhere pip takes this wheel, with the reference engine alone.
PURE = "any"


def here() -> Platform:
    """This machine's platform.

    Raises:
        LookupError: There is no wheel for it.
    """
    system, processor = platform.system(), platform.machine()
    kind = "musllinux" if system == "Linux" and platform.libc_ver()[0] != "glibc" else ""
    for one in PLATFORMS:
        if (one.system, one.processor) == (system, processor) and one.tag.startswith(kind):
            return one
    raise LookupError(f"no wheel has a native engine for {system} on {processor}")
