"""Find the numbers that a firmware printed of its arena, in any text.

Facts: TFLM ``recording_micro_allocator.cc`` (``PrintAllocations``), whose lines are the same since
2021, and ``MicroInterpreter::arena_used_bytes``, which people print in words of their own.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from arenite.errors import CompareError
from arenite.files import open_regular
from arenite.memory.recording import PRINTED_ROWS

#: Logs are read up to this many bytes, and lines up to this many characters.
LIMIT, _LINE = 16 << 20, 4096
#: Shorter lines say nothing.
_SHORTEST = len("used arena 1")
_NUMBER = "([0-9]{1,12})(?![0-9])"
_AREA = re.compile(rf"Arena allocation (total|head|tail) {_NUMBER} bytes")
_ROW = re.compile(
    rf"'([^']{{1,80}})' used {_NUMBER} bytes with alignment overhead "
    rf"\(requested {_NUMBER} bytes for {_NUMBER} "
)
#: ``arena_used_bytes()``, "Arena used bytes: 1234", "used arena 1234": a number near such words.
_USED = re.compile(
    r"(?:\barena[ _](?:memory[ _])?(?:used|usage)(?:[ _]bytes)?|\bused[ _](?:arena|bytes)\b)"
    rf"[^0-9\n]{{0,24}}?{_NUMBER}",
    re.IGNORECASE,
)
#: What colours a terminal.
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
#: A row's numbers, in TFLM's order.
PARTS = ("used", "requested", "count")


@dataclass(frozen=True)
class Printed:
    """Numbers by name, as :func:`arenite.analysis.which.numbers.numbers_of` has them.

    Attributes:
        numbers: ``total``, ``head``, ``tail``, and ``Persistent buffer data: used`` and so on.
        lines: Where each was printed, from 1; 0 where it was given.
        is_recording: Whether a ``RecordingMicroAllocator`` printed some.
        unknown: Its rows that Arenite has no numbers for.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    is_recording: bool = False
    unknown: tuple[str, ...] = ()


def read_log(source: str | os.PathLike[str] | bytes) -> str:
    """The text of a log: a file's path, or its bytes.

    Raises:
        CompareError: It is longer than 16 MiB.
    """
    if isinstance(source, bytes):
        data, name = source, "the log"
    else:
        name = f"'{source}'"
        with open_regular(Path(source)) as file:
            data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise CompareError(f"{name}: expected a log of up to {LIMIT} bytes, got a longer one")
    return data.decode("utf-8", "replace")


def printed(text: str, used: int | None = None) -> Printed:
    """The numbers in a log, and ``used`` as what ``arena_used_bytes()`` gave.

    Raises:
        CompareError: There is none, or a number was printed with two values.
    """
    found = {} if used is None else {"total": (used, 0)}
    unknown: dict[str, None] = {}
    is_recording = False
    for place, line in enumerate(text.splitlines(), 1):
        if len(line) < _SHORTEST:
            continue
        short = _COLOUR.sub("", line[:_LINE])
        told, strange = _told(short)
        is_recording |= bool(told or strange)
        unknown |= dict.fromkeys(strange)
        told = told or _used(short)
        for name, value in told.items():
            _keep(found, name, value, place)
    if not found:
        raise CompareError(
            "expected a log with arena_used_bytes() or RecordingMicroAllocator's lines, such as "
            "'Arena allocation total 25824 bytes', got none of them"
        )
    numbers = {name: value for name, (value, _) in found.items()}
    lines = {name: place for name, (_, place) in found.items()}
    return Printed(numbers, lines, is_recording, tuple(unknown))


def _keep(found: dict[str, tuple[int, int]], name: str, value: int, place: int) -> None:
    before, where = found.setdefault(name, (value, place))
    if before != value:
        places = " and ".join(f"line {one}" if one else "as used" for one in (where, place))
        raise CompareError(
            f"{name}: expected one value, got {before} and {value} ({places}); "
            "keep the lines of one model and one start"
        )


def _told(line: str) -> tuple[dict[str, int], list[str]]:
    """The numbers of ``RecordingMicroAllocator`` in a line, and the names of unknown rows."""
    numbers = {area: int(value) for area, value in _AREA.findall(line)}
    strange = []
    for name, *values in _ROW.findall(line):
        if name in PRINTED_ROWS:
            parts = zip(PARTS, map(int, values), strict=True)
            numbers.update((f"{name}: {part}", value) for part, value in parts)
        else:
            strange.append(name)
    return numbers, strange


def _used(line: str) -> dict[str, int]:
    match = _USED.search(line)
    return {} if match is None else {"total": int(match[1])}
