"""Changes of TFLM, and those that a revision does not have yet.

A row of ``tflm.csv`` says what was there before a day (``since``) and what shows it: a commit and
a file of tensorflow/tflite-micro. By ``what``:

- ``operator``: ``subject`` was not there.
- ``types``: the operator refused, or computed nonsense of, types: ``input 0 int16``; or groups
  of channels (``input 1 grouped int8``), several images (``input 0 batched int8``), several
  matrices that are transposed, times one (``input 0 adjoint``), more than two axes
  (``input 1 triple``), numbers of dimensions and more: ``libraries/revised.py`` has the words.
- ``scales``: likewise a scale per channel, ``input 1``, or one beside a type,
  ``input 0 scaled int16``; or it took the ``input 1 first``.
- ``ratios``: ratios of scales were computed in ``single`` precision, or in ``double``.
- ``options``: fields of its options had no effect: ``before`` is what they were taken for, and
  for outputs of which types.
- ``struct``: the struct's fields were those in ``before``, as :class:`arenite.memory.abi.Struct`
  has them; ``build`` says which of its three lists is meant (``fields``, ``compression``,
  ``package``).
- ``other``: something else, which is not modelled: ``note`` says what, ``before`` of which types.
- ``library``: a library had no kernel of its own (``cmsis_nn.PAD``), or none of the types in
  ``before``: TFLM's ran. A ``subject`` with a library before its name is that library's kernel in
  other rows, too.
- ``build``: TFLM's package was built otherwise: ``subject`` is a field of
  :class:`arenite.memory.abi.Abi`, ``before`` its value.
- ``memory``: scratch buffers that it did not ask for, or asked for in the tail: ``before`` is
  ``purpose: none`` or ``purpose: persistent``; or what it asked for besides in the tail.

``build`` is ``package`` where a row holds for TFLM's package on PyPI alone, and empty where it
holds for all. ``oracle`` is ``wheels`` where packages from both sides of the change show it,
``board`` where firmware of both sides on an emulated core does, ``compiler`` where a compiler says
it of both, and ``source`` where it was read only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from arenite.revisions.known import Revision, rows_of


class Change(NamedTuple):
    """One row; see above."""

    what: str
    subject: str
    since: str
    before: str
    commit: str
    file: str
    oracle: str
    note: str
    build: str = ""


@lru_cache(maxsize=1)
def changes() -> tuple[Change, ...]:
    """All of them, oldest first."""
    rows = (Change(**row) for row in rows_of("tflm.csv"))
    return tuple(sorted(rows, key=lambda row: row.since))


@lru_cache(maxsize=4096)
def all_before(date: str, what: str, subject: str, build: str = "") -> tuple[Change, ...]:
    """The rows that say how it was on a date, oldest first; none where it was as it is today."""
    later = (row for row in changes() if row.since > date)
    wanted = (what, subject, build)
    return tuple(row for row in later if (row.what, row.subject, row.build) == wanted)


def before(date: str, what: str, subject: str, build: str = "") -> Change | None:
    """The first of these: the state that lasted longest after the date."""
    return next(iter(all_before(date, what, subject, build)), None)


def missing(operator: str, revision: Revision, builds: tuple[str, ...] = ("",)) -> Change | None:
    """The row with which an operator came, where a revision has none of it."""
    if revision.has_besides(operator):
        return None
    rows = (before(revision.date, "operator", operator, build) for build in builds)
    return next((row for row in rows if row is not None), None)


def came(operator: str, revision: Revision, builds: tuple[str, ...] = ("",)) -> str:
    """A sentence on an operator that a revision has not; empty where it has."""
    row = missing(operator, revision, builds)
    if row is None:
        return ""
    return f"{operator} came to TFLM on {row.since} ({row.commit}); {revision.title} has none"
