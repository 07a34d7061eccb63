"""What changed in CMSIS-NN, and which of it a release does not have yet.

A row of ``cmsis_nn.csv`` is a change in the scratch memory that its functions ask for: its name
(``subject``), and what shows it, a commit and a file of ARM-software/CMSIS-NN. ``oracle`` is
``compiler`` where the functions from both sides of the change were compiled and asked, ``source``
where they were read only. ``cmsis_nn_releases.csv`` has the days of releases. Paths, costs and
results are those of the last state, July 2026.
"""

from __future__ import annotations

from functools import lru_cache

from arenite.revisions.changes import Change
from arenite.revisions.known import day_in, rows_of

#: The days of the first state that the rows reach back to, and of the last.
FIRST, LAST = "2023-11-14", "2026-07-15"


@lru_cache(maxsize=1)
def changes() -> dict[str, Change]:
    """All of them, by subject."""
    return {row["subject"]: Change(**row) for row in rows_of("cmsis_nn.csv")}


@lru_cache(maxsize=1)
def releases() -> dict[str, str]:
    """Days of releases by name, oldest first."""
    return {row["name"]: row["date"] for row in rows_of("cmsis_nn_releases.csv")}


@lru_cache(maxsize=64)
def day_of(name: str) -> str:
    """The day of a release or a date.

    Raises:
        ValueError: There is no such release, or the rows do not reach the date.
    """
    released = releases().get(name.lower().removeprefix("v"))
    found = released or day_in(name)
    is_late = released is None and name > LAST[: len(name)]
    if found is None or found < FIRST or is_late:
        raise ValueError(
            f"expected a release of CMSIS-NN, {', '.join(releases())}, or a date from {FIRST} to "
            f"{LAST}, got {name!r}"
        )
    return min(found, LAST)


@lru_cache(maxsize=512)
def lacks(name: str, subject: str) -> bool:
    """Whether a release has not the change of that subject yet; today's, "", has all."""
    return bool(name) and day_of(name) < changes()[subject].since
