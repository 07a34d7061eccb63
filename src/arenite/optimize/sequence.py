"""All passes, and the order in which they run."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from arenite.optimize.outcome import Pass
from arenite.options import several, text

#: Where passes are: each is found by its file's name.
_FOLDER = "arenite.optimize.passes"
#: The order in which passes run. What one leaves behind, folding and cleaning take away.
ORDER = (
    *("lower", "fold", "clean", "channels", "fold", "clean"),
    *("order", "compress", "plan", "strip"),
)


def sequence(only: Iterable[str] | None = None) -> tuple[str, ...]:
    """Names of the passes to run, in order; all, or those of ``only``.

    Raises:
        ValueError: There is no such pass.
    """
    there = [name for name in ORDER if find_spec(f"{_FOLDER}.{name}")]
    if only is None:
        return tuple(there)
    several(text, "names of passes")("only", only)
    wanted = set(only)
    for name in sorted(wanted.difference(there)):
        known = ", ".join(dict.fromkeys(there))
        raise ValueError(f"expected a pass of {known}, got {name!r}")
    return tuple(name for name in there if name in wanted)


def find(name: str) -> Pass:
    """The pass of a name that :func:`sequence` gave."""
    found: Pass = getattr(import_module(f"{_FOLDER}.{name}"), name)
    return found
