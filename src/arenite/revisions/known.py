"""Revisions by name: a date, or an SDK that ships one.

``2024-06-15`` and ``2024-06`` are TFLM's main branch at the end of that day or month. Names of
SDKs are those of :mod:`arenite.sdks`, with the evidence for their dates.
"""

from __future__ import annotations

import calendar
import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from arenite.sdks import Release, find, names

#: The first day that the rows reach back to, and that of the last state that was looked at.
FIRST, LAST = "2022-01-01", "2026-10-23"
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


class Revision(NamedTuple):
    """A state of TFLM: the end of a day (``YYYY-MM-DD``), and who ships it, or empty."""

    date: str
    sdk: Release | None = None

    @property
    def title(self) -> str:
        """As sentences call it."""
        shipped = "" if self.sdk is None else f" in {self.sdk.called}"
        return f"TFLM of {self.date}{shipped}"

    def has_besides(self, operator: str) -> bool:
        """Whether it has an operator that upstream had not at that time."""
        return self.sdk is not None and operator in self.sdk.also


def rows_of(table: str) -> Iterator[dict[str, str]]:
    """The rows of a table in this folder."""
    text = files("arenite.revisions").joinpath(table).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


@lru_cache(maxsize=64)
def revision_of(name: str) -> Revision:
    """The revision of that name.

    Raises:
        ValueError: It is neither a date that the tables reach nor a known SDK.
    """
    sdk = None if name[:1].isdigit() else _shipped(name)
    if sdk is not None:
        return Revision(sdk.tflm, sdk)
    date = day_in(name)
    if date is None or date < FIRST or name > LAST[: len(name)]:
        raise ValueError(
            f"expected a revision of TFLM from {FIRST[:7]} to {LAST}, such as 2024-06 or "
            f"2024-06-15, or an SDK of {', '.join(names())}, got {name!r}"
        )
    return Revision(min(date, LAST))


def _shipped(name: str) -> Release | None:
    """The SDK's release of that name; None where there is none."""
    try:
        return find(name)
    except ValueError:
        return None


def day_in(name: str) -> str | None:
    """The day that a date means, of a month the last; None where it is no date."""
    match = _DATE.fullmatch(name)
    return None if match is None else _end_of(*match.groups())


def _end_of(year: str, month: str, day: str | None) -> str | None:
    """The day, or the month's last; None where there is no such day."""
    if not 1 <= int(month) <= 12:
        return None
    last = calendar.monthrange(int(year), int(month))[1]
    if day is not None and not 1 <= int(day) <= last:
        return None
    return f"{year}-{month}-{day or last}"
