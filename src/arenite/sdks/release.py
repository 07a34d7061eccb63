"""An SDK and its releases as plain data, read from TOML: every key is checked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same under its older name


@dataclass(frozen=True)
class Release:
    """One release of an SDK: all that a :class:`arenite.Target` takes from it.

    Attributes:
        sdk: The SDK's name.
        release: Its own name: a version or a day.
        title: Of the SDK, as sentences call it.
        tflm: The day of the upstream TFLM that it has.
        source: Where that is written, and how it was established.
        processors: Processors that it is for, the usual one first; empty for all of its library's.
        library: Its kernel library, a folder of ``arenite/libraries``.
        library_version: That one's release, where it is told by one.
        glue_version: The release of what brings TFLM and calls the library.
        cmsis_nn: Its CMSIS-NN, a release or a day; empty for what TFLM of that day fetches.
        compiler: ``"gcc"`` or ``"armclang"``.
        optimize: The optimisation level of kernels, such as ``"Os"``; empty where the user of the
            SDK decides.
        abi: Whose struct sizes count; empty for the processor's own.
        has_static_memory: Whether TFLM is built with ``TF_LITE_STATIC_MEMORY``; without it,
            tensors and nodes have more fields.
        variables_arena: Bytes of an arena that variables have to themselves.
        operators: What its resolver has; empty where the user registers them.
        also: Operators that it has beyond the TFLM of its day.
        note: What else is to be known.
        is_upstream: Whether it is TFLM's own build, whose revision is called by its day alone.
    """

    sdk: str
    release: str
    title: str
    tflm: str
    source: str
    processors: tuple[str, ...] = ()
    library: str = "cmsis_nn"
    library_version: str = ""
    glue_version: str = ""
    cmsis_nn: str = ""
    compiler: str = "gcc"
    optimize: str = ""
    abi: str = ""
    has_static_memory: bool = True
    variables_arena: int = 0
    operators: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    note: str = ""
    is_upstream: bool = False

    @property
    def revision(self) -> str:
        """The value of ``Target.tflm``."""
        return self.tflm if self.is_upstream else self.name

    @property
    def name(self) -> str:
        """Name that ``--sdk`` takes: ``chirale@2.0.0``."""
        return f"{self.sdk}@{self.release}"

    @property
    def called(self) -> str:
        """The release in sentences: ``Chirale_TensorFlowLite 2.0.0``."""
        return f"{self.title} {self.release}"


@dataclass(frozen=True)
class Left:
    """A package that is left out: its name and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Sdk:
    """A file of ``data/``.

    Attributes:
        name: The file's, and what ``--sdk`` takes.
        title: As sentences call it.
        releases: Oldest first.
        aliases: Other names.
        takes_days: Whether any day is a release: its TFLM, with the library that it fetches.
        left_out: What belongs to it and could not be established.
    """

    name: str
    title: str
    releases: tuple[Release, ...]
    aliases: tuple[str, ...] = ()
    takes_days: bool = False
    left_out: tuple[Left, ...] = field(default=())


class SdkFileError(ValueError):
    """A file does not say what an SDK is."""


_KEYS = {one.name: one for one in fields(Release)}
_SDK = ("title", "aliases", "takes_days", "releases", "left_out")
_SETS = ("operators", "also")


def parsed(text: str, name: str) -> Sdk:
    """The SDK that a file describes; keys beside ``[[releases]]`` are those of all.

    Raises:
        SdkFileError: It is no TOML, or a key is missing, unknown or of another type.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SdkFileError(f"{name}.toml: expected TOML: {error}") from None
    shared = {key: value for key, value in table.items() if key not in _SDK}
    title = table.get("title", name)
    rows = table.get("releases", [])
    return Sdk(
        name,
        title,
        tuple(_release(name, title, {**shared, **row}) for row in rows),
        tuple(table.get("aliases", ())),
        bool(table.get("takes_days", False)),
        tuple(Left(row["name"], row["why"]) for row in table.get("left_out", [])),
    )


def _release(sdk: str, title: str, row: Mapping[str, Any]) -> Release:
    where = f"{sdk}.toml, {row.get('release', '?')}"
    unknown = sorted(row.keys() - (_KEYS.keys() - {"sdk", "title"}))
    if unknown:
        raise SdkFileError(f"{where}: expected keys of {', '.join(_KEYS)}; got {unknown[0]!r}")
    missing = [key for key in ("release", "tflm", "source") if not row.get(key)]
    if missing:
        raise SdkFileError(f"{where}: expected {missing[0]} = a text")
    given: dict[str, Any] = {}
    for key, value in row.items():
        given[key] = frozenset(value) if key in _SETS else value
        if key == "processors":
            given[key] = tuple(value)
    return Release(sdk=sdk, title=title, **given)
