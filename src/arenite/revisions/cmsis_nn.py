"""Changes of CMSIS-NN, and those that a release does not have yet.

A row of ``cmsis_nn.csv`` is a change in the scratch memory that its functions ask for (``what`` is
``scratch``), or of what they computed wrongly (``undefined``): its name (``subject``), and what
shows it, a commit and a file of ARM-software/CMSIS-NN. ``oracle`` is
``compiler`` where the functions from both sides of the change were compiled and asked, ``board``
where a firmware of that time was asked on an emulated core, ``source`` where they were read only.
``cmsis_nn_releases.csv`` has the days of releases, ``cmsis_nn_in_tflm.csv`` the states that TFLM's
``tools/make/ext_libs/cmsis_download.sh`` and ``cmsis_nn_download.sh`` fetched: until October 2022 a
folder of ARM-software/CMSIS_5, whose history is that repository's.
"""

from __future__ import annotations

from functools import lru_cache

from arenite.revisions.changes import Change
from arenite.revisions.known import day_in, revision_of, rows_of

#: The days of the first state that the rows reach back to, and of the last.
FIRST, LAST = "2021-12-29", "2026-07-15"


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


@lru_cache(maxsize=1)
def fetched() -> tuple[tuple[str, str], ...]:
    """Days from which on TFLM fetched a state, and the days of these, latest first."""
    return tuple((row["since"], row["date"]) for row in rows_of("cmsis_nn_in_tflm.csv"))[::-1]


@lru_cache(maxsize=64)
def fetched_by(tflm: str) -> str:
    """The day of the state that a revision of TFLM fetches."""
    date = revision_of(tflm).date
    return next(state for since, state in fetched() if since <= date)


@lru_cache(maxsize=512)
def lacks(name: str, subject: str) -> bool:
    """Whether a release has not the change of that subject yet; today's, "", has all."""
    return bool(name) and day_of(name) < changes()[subject].since
