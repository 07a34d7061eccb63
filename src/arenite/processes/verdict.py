"""A child's end, written down by the child when it has reached it.

An exit code alone is no answer: foreign code in a child may call ``_exit(0)`` at any time. So the
driver gives a child a folder and a nonce, and believes the code that stands there behind the nonce,
if the process ended with it as well.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

#: Behind every exit code that a process can have: what ended without a verdict.
EARLY = 1 << 32
_STAGE, _CRASH = "ARENITE_STAGE", "ARENITE_CRASH"
_MOST = 1 << 16


class Crash(NamedTuple):
    """Traces of a kernel's library that ended its process.

    Attributes:
        stage: What the process did: ``loading`` or ``running`` a library; empty where none.
        library: That library.
        when: ``constructor`` or ``destructor``; empty where the library had no time to say it.
        places: The instruction in the library's file, and the calls that led there.
        words: What it said.
    """

    stage: str = ""
    library: Path = Path()
    when: str = ""
    places: tuple[int, ...] = ()
    words: str = ""


class Record:
    """A driver's side: the place of a child's verdict."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._nonce = folder, secrets.token_hex(16)

    @property
    def argument(self) -> str:
        """The place for the child."""
        return f"{self._nonce}:{self._folder / 'verdict'}"

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the child: its temporary files go with the record."""
        temporary = self._folder / "temporary"
        temporary.mkdir(exist_ok=True)
        names = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        return names | {name: str(self._folder / name.lower()) for name in (_STAGE, _CRASH)}

    def judged(self, code: int) -> int:
        """The exit code if it is the verdict; else minus its signal, or :data:`EARLY` and it."""
        if code < 0 or self._read("verdict") == f"{self._nonce} {code}":
            return code
        return EARLY + code

    def crash(self) -> Crash:
        """Traces of an end without a verdict."""
        stage, _, library = self._read(_STAGE.lower()).partition(" ")
        when, _, rest = self._read(_CRASH.lower()).partition("\n")
        places, _, words = rest.partition("\n")
        found: tuple[int, ...] = ()
        with suppress(ValueError):
            numbers = [int(place) for place in places.split()]
            found = tuple(place for place in numbers if place >= 0) if numbers[:1] > [0] else ()
        return Crash(stage, Path(library), when, found, words.strip())

    def _read(self, name: str) -> str:
        try:
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # whatever the child has put there
            with open(os.open(self._folder / name, flags), "rb") as file:
                return file.read(_MOST).decode(errors="replace")
        except OSError:
            return ""


def write_verdict(argument: str, code: int) -> None:
    """Write a child's exit code down."""
    nonce, _, path = argument.partition(":")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{nonce} {code & 0xFF if os.name == 'posix' else code}")


def stage(text: str) -> None:
    """Write down what a child does, for a driver that finds it gone; elsewhere nothing."""
    path = os.environ.get(_STAGE)
    if path:
        with suppress(OSError), open(path, "w", encoding="utf-8") as file:
            file.write(text)
