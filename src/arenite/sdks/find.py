"""A release by its name: ``chirale``, ``chirale@2.0.0``, ``tflm@2024-06``."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from arenite.sdks.release import Left, Release, Sdk, parsed

_DATA = Path(__file__).parent / "data"
#: What firmware of a family of processors is built with where nothing is said: TFLM's own build,
#: and the package that brings TFLM to ESP-IDF.
_USUAL = {"cortex-m": "tflm", "esp": "esp-tflite-micro"}
_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")


@lru_cache(maxsize=64)
def _read(name: str) -> Sdk:
    return parsed((_DATA / f"{name}.toml").read_text(encoding="utf-8"), name)


@lru_cache(maxsize=1)
def sdks() -> dict[str, Sdk]:
    """All that are known, by name."""
    return {path.stem: _read(path.stem) for path in sorted(_DATA.glob("*.toml"))}


@lru_cache(maxsize=1)
def releases() -> dict[str, Release]:
    """All releases, by ``name@release``."""
    return {row.name: row for sdk in sdks().values() for row in sdk.releases}


def names() -> list[str]:
    """SDKs of which releases are known."""
    return [sdk.name for sdk in sdks().values() if sdk.releases]


def left_out() -> tuple[Left, ...]:
    """Packages that could not be established, and why."""
    return tuple(one for sdk in sdks().values() for one in sdk.left_out)


@lru_cache(maxsize=8)
def usual(family: str) -> Release | None:
    """The release that stands for firmware of a family of processors; None where there is none."""
    name = _USUAL.get(family)
    return None if name is None else _read(name).releases[-1]


@lru_cache(maxsize=256)
def find(name: str) -> Release:
    """A release: ``name@release``, or the last one of ``name``.

    Raises:
        ValueError: There is none of that name; says which are like it, or why it is left out.
    """
    sdk, at, release = name.strip().lower().replace("_", "-").partition("@")
    row = _of(sdk, release) if at else _whole(sdk)
    if row is not None:
        return row
    raise ValueError(_why_not(name, sdk, release))


def _named(name: str) -> Sdk | None:
    for sdk in sdks().values():
        if name in (sdk.name, *sdk.aliases):
            return sdk
    return None


def _whole(name: str) -> Release | None:
    """A name without ``@``: an SDK's, or one with its release behind a dash."""
    sdk = _named(name)
    if sdk is not None:
        return sdk.releases[-1] if sdk.releases else None
    parts = name.split("-")
    cuts = (("-".join(parts[:cut]), "-".join(parts[cut:])) for cut in range(1, len(parts)))
    return next((row for one, release in cuts if (row := _of(one, release))), None)


def _of(name: str, release: str) -> Release | None:
    sdk = _named(name)
    if sdk is None:
        return None
    wanted = release.removeprefix("v")
    for row in sdk.releases:
        if row.release == wanted:
            return row
    if sdk.takes_days and _DAY.fullmatch(wanted):
        return replace(sdk.releases[-1], release=wanted, tflm=wanted)
    return None


def _why_not(given: str, name: str, release: str) -> str:
    sdk = _named(name)
    spelled = f"{name}@{release}" if release else name
    for one in left_out():
        if one.name.lower() in (spelled, spelled.replace("@", "-"), sdk and sdk.name):
            return f"{one.name} is not known: {one.why}"
    if sdk is not None and release:
        known = ", ".join(row.release for row in sdk.releases)
        days = " or a day such as 2024-06" if sdk.takes_days else ""
        return f"expected a release of {sdk.title}: {known}{days}; got {given!r}"
    close = get_close_matches(name, names(), 2, 0.5)
    hint = f"is it {' or '.join(close)}? " if close else ""
    return (
        f"expected an SDK of {', '.join(names())}, got {given!r}: {hint}"
        "`arenite sdks` lists them with their releases"
    )
