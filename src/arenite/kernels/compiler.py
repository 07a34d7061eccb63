"""The C++ compiler of users' kernels: zig's clang, a package that needs nothing of the system."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arenite.errors import KernelBuildError
from arenite.files import read_source
from arenite.kernels.inputs import Inputs, inputs_of_files
from arenite.processes.children import run_program
from arenite.processes.paths import find_package

#: As TFLM's own Makefile has them, and products and sums that round as the definition says.
FLAGS = (
    *("-O2", "-fPIC", "-fvisibility=hidden", "-w", "-funsigned-char"),
    *("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-strict-aliasing"),
    *("-ffp-contract=off", "-fno-omit-frame-pointer", "-fno-sanitize=all"),
    "-UNDEBUG",  # assert() says what and where
)
C_FLAGS = tuple(flag for flag in FLAGS if "rtti" not in flag)
#: Names of lines, in the format that :mod:`arenite.kernels.lines` reads.
LINES = ("-gline-tables-only", "-gdwarf-4")
_ERROR = re.compile(r"^(.+?:\d+:\d+): (?:fatal )?error: (.*)$", re.M)
_UNDEFINED = re.compile(r"undefined symbol: (.+)$", re.M)
#: A library whose symbols nobody has is refused when it is linked, not when it is loaded.
_ALL_DEFINED = ("-Wl,-z,defs",) if sys.platform.startswith("linux") else ()
#: Seconds for one file, and how often one is compiled anew that changes meanwhile.
_SECONDS, _TRIES = 600.0, 5
#: Old enough for any system that is still kept up.
_GLIBC = "2.17"


@dataclass(frozen=True)
class Compiled:
    """An object file, and all that it was made of."""

    object: Path
    inputs: Inputs


def zig() -> str:
    """The compiler's path.

    Raises:
        KernelBuildError: It is not installed.
    """
    package = find_package("ziglang")
    if package is None:
        raise KernelBuildError(
            "compiling kernels needs ziglang: pip install ziglang==0.17.0, or all of the extra "
            "board: pip install '.[board]' in Arenite's folder"
        )
    return os.path.join(package, "zig.exe" if os.name == "nt" else "zig")


def host_target() -> str:
    """This machine, as the compiler calls it; ``native`` would read the system's headers."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    if sys.platform == "darwin":
        return f"{machine}-macos"
    if os.name == "nt":
        return f"{machine}-windows-gnu"
    if sys.platform.startswith("linux") and platform.libc_ver()[0] != "glibc":
        return f"{machine}-linux-musl"
    return f"{machine}-linux-gnu.{_GLIBC}"


def library_suffix() -> str:
    """The suffix of a library's name here."""
    return ".dll" if os.name == "nt" else ".so"


def compile_file(source: Path, arguments: Sequence[str], into: Path) -> Compiled:
    """An object of one file, and its inputs, which were the same before and after the compiler ran.

    Raises:
        KernelBuildError: The compiler does not take it, with its first error; or somebody writes
            what it reads again and again.
    """
    target = into / f"{source.stem}.o"
    for _ in range(_TRIES):
        try:
            read = _run(source, arguments, into, "-M")
            inputs = inputs_of_files(read, arguments, Path(zig()).parent)
        except OSError:
            continue
        is_same = _run(source, arguments, into, "-MD", "-c", "-o", str(target)) == read
        if is_same and inputs.are_as_they_were():
            return Compiled(target, inputs)
    raise KernelBuildError(f"'{source}', or a file that it includes, changes while it is compiled")


def _run(source: Path, arguments: Sequence[str], into: Path, *more: str) -> list[Path]:
    """Run the compiler on a file; all that it has read."""
    listed = into / f"{source.stem}.d"
    command = ["cc" if source.suffix == ".c" else "c++", f"--target={host_target()}", *arguments]
    command += [*more, "-MF", str(listed), str(source)]
    try:
        done = run_program(zig(), *command, folder=into, timeout=_SECONDS)
    except TimeoutError as error:
        raise KernelBuildError(f"'{source}': compiling it {error}") from None
    if done.code:
        raise KernelBuildError(_first_error(source, done.err), command=["zig", *command])
    return files_of(read_source(listed))


def link(objects: Sequence[Path], arguments: Sequence[str], into: Path) -> tuple[Path | None, str]:
    """A library of objects and archives, or None with what the linker said."""
    target = into / f"kernels{library_suffix()}"
    command = [
        "cc",
        f"--target={host_target()}",
        "-shared",
        *_ALL_DEFINED,
        *map(str, objects),
        *arguments,
    ]
    done = run_program(zig(), *command, "-o", str(target), folder=into)
    return (None, done.err) if done.code else (target, "")


def archive(objects: Sequence[Path], into: Path) -> Path:
    """An archive of objects, of which a linker takes what is asked for."""
    target = into / "support.a"
    target.unlink(missing_ok=True)
    done = run_program(zig(), "ar", "crs", str(target), *map(str, objects), folder=into)
    if done.code:
        raise KernelBuildError(f"the archive of TFLM's objects cannot be made:\n{done.err[-2000:]}")
    return target


def undefined(said: str) -> list[str]:
    """The symbols that a linker misses, in the words of the source."""
    return list(dict.fromkeys(name.strip() for name in _UNDEFINED.findall(said)))


def _first_error(source: Path, said: str) -> str:
    found = _ERROR.search(said)
    if found is None:
        return f"'{source}' does not compile:\n{said[-4000:]}"
    where, what = found.groups()
    text = f"'{source}' does not compile: {where}: {what}"
    missing = re.match(r"'(.+)' file not found", what)
    if missing:
        text += f"; expected a folder with {missing.group(1)!r} among --include"
    return text


def files_of(listed: str) -> list[Path]:
    """The files in a Makefile's rule, the compiler's own among them."""
    words = re.sub(r"\\\r?\n", " ", listed).partition(": ")[2]
    names = re.findall(r"(?:\\ |\S)+", words)
    return [Path(name.replace("\\ ", " ")) for name in names]
