"""The passes, one file each; a pass is the function of its file's name.

A file whose name begins with ``_`` is what passes share.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from arenite.optimize.outcome import Pass

#: The order in which passes run. What one leaves behind, folding and cleaning take away.
ORDER = ("fold", "clean", "channels", "fold", "clean", "order", "plan", "strip")


def sequence(only: Iterable[str] | None = None) -> tuple[str, ...]:
    """Names of the passes to run, in order; all, or those of ``only``.

    Raises:
        ValueError: There is no such pass.
    """
    there = [name for name in ORDER if find_spec(f"{__name__}.{name}")]
    if only is None:
        return tuple(there)
    wanted = set(only)
    for name in sorted(wanted.difference(there)):
        known = ", ".join(dict.fromkeys(there))
        raise ValueError(f"expected a pass of {known}, got {name!r}")
    return tuple(name for name in there if name in wanted)


def find(name: str) -> Pass:
    """The pass of a name that :func:`sequence` gave."""
    found: Pass = getattr(import_module(f"{__name__}.{name}"), name)
    return found
