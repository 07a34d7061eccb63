"""Whether wheels are what they should be: ``python tools/check_wheels.py WHEEL...``.

Their names and tags, what is in them, and of the native engine: what it is compiled for, which
libraries, which versions of them and which of Python's functions it asks for (the stable ABI of
3.10 alone). A line per wheel; the exit code is 1 if there is anything to say against one.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from abi3info import DATAS, FUNCTIONS
from abi3info.models import PyVersion
from binaries import Binary, read_binary
from platforms import BY_TAG, PURE, Platform

ROOT = Path(__file__).parent.parent
OLDEST_PYTHON = PyVersion(3, 10)
LARGEST = 4_000_000
MODULE = re.compile(r"arenite/native/_engine\.(abi3\.so|pyd)")
NAME = re.compile(r"arenite-[^-]+-(?P<python>\w+)-(?P<abi>\w+)-(?P<platform>\w+)\.whl")
#: Templates and headers that modules read, beside them.
DATA = sorted(
    path.relative_to(ROOT / "src").as_posix()
    for path in (ROOT / "src").rglob("*")
    if path.suffix in (".c", ".cc", ".h", ".s", ".S", ".ld")
)
WANTED = ("arenite/__init__.py", "arenite/py.typed", "arenite/native/_engine.pyi", *DATA)
UNWANTED = re.compile(r"arenite/native/_build\.py|(.*/)?__pycache__/.*|(tests|csrc|tools)/.*")
STABLE = {one.name for table in (FUNCTIONS, DATAS) for one in table}
PYTHON_SYMBOL = re.compile(r"_?Py[A-Z_]\w*")
#: Folders of this machine, which nothing in a wheel may name.
FOLDERS = {str(folder).encode() for folder in (ROOT, Path.home(), Path(sys.prefix).resolve())}


def is_stable(symbol: str) -> bool:
    """Whether one of Python's symbols is in the stable ABI of the oldest Python."""
    found = [
        one for table in (FUNCTIONS, DATAS) for name, one in table.items() if name.name == symbol
    ]
    return any(one.added <= OLDEST_PYTHON for one in found)


def of_binary(binary: Binary, platform: Platform) -> Iterator[str]:
    """What is wrong with an extension module for a platform."""
    if binary.target != (platform.system, platform.processor):
        yield f"compiled for {binary.target}"
    if strange := binary.libraries - platform.libraries:
        yield f"asks for {', '.join(sorted(strange))}"
    if newer := [version for version in binary.versions if not runs_on(version, platform)]:
        yield f"asks for {', '.join(sorted(newer))}"
    python = {name for name in binary.imports if PYTHON_SYMBOL.fullmatch(name)}
    if unstable := sorted(name for name in python if not is_stable(name)):
        yield f"asks for what the stable ABI of Python 3.10 lacks: {', '.join(unstable)}"
    if not python:
        yield "asks for nothing of Python"
    if binary.exports != {"PyInit__engine"}:
        yield f"exports {sorted(binary.exports)}"
    yield from binary.problems


def runs_on(version: str, platform: Platform) -> bool:
    """Whether a library's version, ``GLIBC_2.17`` or ``macos 11.0``, is there on the oldest."""
    library, _, number = re.split(r"([_ ])", version, maxsplit=1)
    oldest = re.search(r"(\d+)_(\d+)", platform.tag.replace("x86_64", ""))
    kinds = {"Linux": "GLIBC", "Darwin": "macos"}
    if oldest is None or library != kinds.get(platform.system):
        return False
    return tuple(map(int, number.split(".")[:2])) <= tuple(map(int, oldest.groups()))


def of_contents(wheel: zipfile.ZipFile, platform: Platform | None) -> Iterator[str]:
    """What is wrong with the files of a wheel; ``platform`` is None for the pure one."""
    names = wheel.namelist()
    yield from (f"lacks {name}" for name in WANTED if name not in names)
    yield from (f"has {name}" for name in names if UNWANTED.fullmatch(name))
    for name in names:
        content = wheel.read(name)
        yield from (f"{name} names {f.decode()}" for f in sorted(FOLDERS) if f in content)
    modules = [name for name in names if MODULE.fullmatch(name)]
    compiled = [name for name in names if name.endswith((".so", ".pyd", ".dll", ".dylib", ".pdb"))]
    if compiled != modules or len(modules) != (platform is not None):
        yield f"has the compiled files {compiled}"
    elif platform is not None:
        yield from of_binary(read_binary(wheel.read(modules[0])), platform)


def of_tags(wheel: zipfile.ZipFile, found: re.Match[str]) -> Iterator[str]:
    """What is wrong with a wheel's tags."""
    python = ("py3", "none") if found["platform"] == PURE else ("cp310", "abi3")
    if (found["python"], found["abi"]) != python:
        yield f"expected the tags {python}"
    about = next(name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL"))
    tag = f"Tag: {found['python']}-{found['abi']}-{found['platform']}"
    if tag not in wheel.read(about).decode().splitlines():
        yield f"lacks the line {tag!r} in {about}"


def problems(path: Path) -> Iterator[str]:
    """All that is wrong with a wheel."""
    found = NAME.fullmatch(path.name)
    if found is None or found["platform"] not in {PURE, *BY_TAG}:
        yield "expected the name of a wheel for a platform of tools/platforms.py"
        return
    if path.stat().st_size > LARGEST:
        yield f"has {path.stat().st_size:,} bytes, expected at most {LARGEST:,}"
    with zipfile.ZipFile(path) as wheel:
        yield from of_tags(wheel, found)
        yield from of_contents(wheel, BY_TAG.get(found["platform"]))


def differing(paths: Iterable[Path]) -> Iterator[str]:
    """Python files that are not the same in all wheels."""
    contents = {}
    for path in paths:
        with zipfile.ZipFile(path) as wheel:
            names = [name for name in wheel.namelist() if name.endswith((".py", ".pyi"))]
            contents[path.name] = {name: wheel.read(name) for name in names}
    if len({frozenset(files.items()) for files in contents.values()}) > 1:
        yield f"not all have the same Python files: {', '.join(contents)}"


def main(arguments: list[str]) -> int:
    """Print what is wrong with each, or that nothing is."""
    paths = [Path(argument) for argument in arguments]
    failed = 0
    for path in paths:
        found = list(problems(path))
        failed += len(found)
        size = f"{path.stat().st_size / 1e6:.2f} MB"
        print(f"{path.name}  {size}  {'good' if not found else ''}")
        print("".join(f"  {problem}\n" for problem in found), end="")
    different = list(differing(paths))
    print("".join(f"{problem}\n" for problem in different), end="")
    return 1 if failed or different or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
