"""All that a compilation depends on: the files that it read, as they were then, and absent ones.

A header that is not there is an input too: it would be read if it came into a folder that is
searched before the one in which the compiler found another of its name. Both are taken before the
compiler runs and compared afterwards: what has changed meanwhile was perhaps read as it is no more.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from arenite.files import open_regular

_NAMED = re.compile(
    rb"^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*([\"<])([^\">\n]+)[\">]"
    rb"|__has_include(?:_next)?\s*\(\s*([\"<])([^\">\n]+)[\">]",
    re.M,
)
#: Options before folders that are searched, and whether for names in quotes alone.
_FOLDERS = {"-I": False, "-iquote": True, "-isystem": False, "-idirafter": False}
#: Variables that name such folders to the compiler.
VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CPPFLAGS", "CFLAGS", "CXXFLAGS")


class State(NamedTuple):
    """A file as it was: its content's digest, and what the system changes with any write."""

    digest: str
    modified: int
    changed: int
    number: int


@dataclass
class Inputs:
    """Files with their states, and paths at which there must be nothing.

    Attributes:
        files: States by path.
        absent: Paths.
    """

    files: dict[Path, State] = field(default_factory=dict)
    absent: dict[Path, None] = field(default_factory=dict)

    def add(self, other: Inputs) -> None:
        """Take over those of a part. What it saw first counts."""
        self.files = {**other.files, **self.files}
        self.absent |= other.absent

    def digests(self) -> dict[str, str]:
        """The files' digests."""
        return {str(path): state.digest for path, state in self.files.items()}

    def are_as_they_were(self) -> bool:
        """Whether nothing was written, replaced, removed or added since."""
        try:
            same = all(state_of(path) == state for path, state in self.files.items())
        except OSError:
            return False
        return same and not any(map(os.path.lexists, self.absent))


def state_of(path: Path) -> State:
    """A regular file's state.

    Raises:
        OSError: There is none, or it is no regular file.
    """
    status = os.stat(path)
    times = status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    return State(_digest(str(path), *times, status.st_size), *times)


@lru_cache(maxsize=10_000)
def _digest(path: str, _modified: int, _changed: int, _number: int, _size: int) -> str:
    with open_regular(path) as file:
        return hashlib.sha256(file.read()).hexdigest()


def inputs_of_files(
    read: Sequence[Path], arguments: Sequence[str], own: Path | None = None
) -> Inputs:
    """The inputs of a compilation that reads these files with these arguments.

    Args:
        read: Every file that the compiler names, in any order.
        arguments: The compiler's.
        own: A folder whose files do not change, as the compiler's own.

    Raises:
        OSError: A file is gone.
    """
    mine = [path for path in read if own is None or not path.is_relative_to(own)]
    found = {path: state_of(path) for path in mine}
    quoted, folders = _searched(arguments)
    absent = dict.fromkeys(_absent(read, quoted, folders))
    return Inputs(found, dict.fromkeys(_highest(absent)))


def _searched(arguments: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Folders for names in quotes, and those for all names, in their order."""
    quoted: list[Path] = []
    every: list[Path] = []
    waiting = ""
    for one in arguments:
        option = waiting or next((name for name in _FOLDERS if one.startswith(name)), "")
        folder = one if waiting else one.removeprefix(option)
        waiting = "" if folder or not option else option
        if option and folder:
            (quoted if _FOLDERS[option] else every).append(Path(folder))
    return quoted, every


def _absent(read: Sequence[Path], quoted: list[Path], folders: list[Path]) -> Iterator[Path]:
    """Paths that are looked at before a header is found."""
    are_there: dict[Path, bool] = {}

    def looked_at(name: str, places: Iterable[Path]) -> Iterator[Path]:
        for place in places:
            path = place / name
            if path not in are_there:
                are_there[path] = path.is_file()
            if are_there[path]:
                return
            yield path

    for file in read:
        status = os.stat(file)
        for in_quotes, name in _names_in(str(file), status.st_mtime_ns, status.st_size):
            before = (file.parent, *quoted) if in_quotes else ()
            yield from looked_at(name, (*before, *folders))
        # However it was named, as by a macro.
        for folder in folders:
            if file.is_relative_to(folder):
                yield from looked_at(str(file.relative_to(folder)), (*quoted, *folders))


@lru_cache(maxsize=10_000)
def _names_in(path: str, _modified: int, _size: int) -> tuple[tuple[bool, str], ...]:
    """The headers that a file names, and whether in quotes."""
    with open_regular(path) as file:
        text = file.read()
    groups = (match.groups(b"") for match in _NAMED.finditer(text))
    rows = ((mark or other, name or asked) for mark, name, other, asked in groups)
    return tuple({(mark == b'"', os.fsdecode(name)) for mark, name in rows})


def _highest(absent: Iterable[Path]) -> Iterator[Path]:
    """For every path that is not there the first folder above it that is not, or itself."""
    are_there: dict[Path, bool] = {}
    for path in absent:
        highest = path
        for above in path.parents:
            if above not in are_there:
                are_there[above] = above.exists()
            if are_there[above]:
                break
            highest = above
        yield highest


def environment_of(variables: Mapping[str, str]) -> list[str]:
    """Variables of the environment that the compiler reads, for a cache key."""
    return [f"{name}={variables[name]}" for name in VARIABLES if name in variables]
