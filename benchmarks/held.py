"""LiteRT as it is on a processor with AVX2 and FMA alone, on one that has more.

LiteRT and its XNNPACK choose kernels by what CPUID says and have no switch. Here every CPUID
instruction of the loaded library, found by ``objdump``, becomes UD2, and a signal handler
(``held.c``) answers for it without AVX512, AVX-VNNI and what else came after AVX2. All that is done
before LiteRT asks; its own code runs as it is, at full speed, on the same core as ours.

It is for Linux on x86-64, with ``objdump`` (Debian's binutils) and ziglang (extra ``board``).
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"
LIBRARY = "libpywrap_litert_common.so"
SEGMENT = re.compile(r"([0-9a-f]+)-[0-9a-f]+ \S+ 00000000 \S+ \d+ +(.*)")
PROTECTION = 7  # PROT_READ | PROT_WRITE | PROT_EXEC
PAGE = 4096


def hold_litert_to_avx2() -> Callable[[], int]:
    """Let LiteRT see no more than AVX2 and FMA from now on, in this process.

    Returns:
        How often LiteRT has asked: 0 means that it had chosen before.

    Raises:
        RuntimeError: The library is not as this expects it.
    """
    from ai_edge_litert import interpreter  # noqa: F401, PLC0415 - loads the library

    path = library()
    places = [base_of(path) + offset for offset in cpuids(path)]
    if not places:
        raise RuntimeError(f"expected CPUID instructions in {path}, found none")
    handler = compiled()
    if handler.hold((ctypes.c_size_t * len(places))(*places), len(places)):
        raise RuntimeError(f"there is no room for {len(places)} places")
    for place in places:
        replace(place)
    return handler.times_asked


def library() -> Path:
    """Where LiteRT's code is."""
    spec = find_spec("ai_edge_litert")
    if spec is None or spec.origin is None:
        raise RuntimeError("ai_edge_litert is not installed")
    return Path(spec.origin).parent / LIBRARY


def cpuids(path: Path) -> list[int]:
    """Addresses of all CPUID instructions, from the library's beginning on."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [int(line.split(":")[0], 16) for line in lines if line.endswith("\tcpuid")]


def base_of(path: Path) -> int:
    """Where the library begins in memory."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        segment = SEGMENT.fullmatch(line)
        if segment and Path(segment[2]) == path.resolve():
            return int(segment[1], 16)
    raise RuntimeError(f"{path} is not loaded")


def replace(place: int) -> None:
    """CPUID becomes UD2."""
    code = (ctypes.c_char * 2).from_address(place)
    if code.raw != CPUID:
        raise RuntimeError(f"expected CPUID at {place:#x}, got {code.raw.hex()}")
    first = place // PAGE * PAGE
    size = (place + 2 - first + PAGE - 1) // PAGE * PAGE
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(first), ctypes.c_size_t(size), PROTECTION):
        raise RuntimeError("the system does not let code be written")
    code.raw = UD2


def compiled() -> ctypes.CDLL:
    """``held.c``, loaded."""
    source = Path(__file__).with_suffix(".c")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "held.so")
        command = [sys.executable, "-m", "ziglang", "cc", "-O1", "-shared", "-fPIC"]
        subprocess.run([*command, str(source), "-o", str(made)], check=True)
        handler = ctypes.CDLL(str(made))
    handler.times_asked.restype = ctypes.c_long
    return handler
