"""Flash that the code of TFLM and of a model's kernels takes: an estimate from measured sizes.

``tools/measure_code.py`` measured ``libraries/cmsis_nn/code_sizes.csv``: GCC 12.2, ``-O2``, the
interpreter alone and with one operator more. Operators share code, so that a sum is too high: by up
to 25 % on nine models that were linked as a whole. An operator that was not measured is between
nothing and the largest that was; other cores and libraries are 30 % off at most, by judgement.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from arenite.library_facts import usual_library
from arenite.model import Model
from arenite.ops.tflm_names import add_method
from arenite.target import Target

#: By what a sum was too high at most, and how far other cores may be off.
_SHARED, _OTHERS = 1.26, 0.30


#: Whose kernels the sizes are of: those that Cortex-M firmware has as a rule.
_LIBRARY = usual_library("cortex-m").name


class CodeSize(NamedTuple):
    """Bytes of code and constants, the C library's among them.

    Attributes:
        low: At least.
        high: At most.
        unmeasured: Operators that were not measured.
        measured_on: The core that was.
    """

    low: float
    high: float
    unmeasured: tuple[str, ...]
    measured_on: str


def code_size(model: Model, target: Target) -> CodeSize:
    """What TFLM with the kernels of a model's operators takes of flash."""
    core, sizes = _measured(target.processor)
    names = {operator.name for graph in model.subgraphs for operator in graph.operators}
    methods = {name: add_method(name) or "" for name in sorted(names)}
    known = [sizes[one] for one in methods.values() if one in sizes and one]
    missing = tuple(name for name, method in methods.items() if method not in sizes or not method)
    base, largest = sizes[""], max(sizes[one] for one in sizes if one)
    low = max(base + max(known, default=0), (base + sum(known)) / _SHARED)
    high = base + sum(known) + largest * len(missing)
    is_measured = target.processor == core and target.library == _LIBRARY
    off = 0.0 if is_measured else _OTHERS
    return CodeSize(low * (1 - off), high * (1 + off), missing, core)


@cache
def _table() -> dict[str, dict[str, int]]:
    """Sizes by core and line of the resolver; the interpreter alone is the empty line."""
    text = files(f"arenite.libraries.{_LIBRARY}").joinpath("code_sizes.csv").read_text("utf-8")
    found: dict[str, dict[str, int]] = {}
    for row in csv.DictReader(text.splitlines()):
        for core, size in row.items():
            if core != "method" and size:
                found.setdefault(core, {})[row["method"]] = int(size)
    return found


def _measured(processor: str) -> tuple[str, dict[str, int]]:
    table = _table()
    core = processor if processor in table else next(iter(table))
    return core, table[core]
