"""Flash that the code of TFLM and of a model's kernels takes: an estimate from measured sizes.

``tools/measure_code.py`` measured a library's sizes: GCC 12.2, ``-O2``, the interpreter alone and
with one operator more. Operators share code, so that a sum is too high: by up
to 25 % on nine models that were linked as a whole. An operator that was not measured is between
nothing and the largest that was; other cores and libraries are 30 % off at most, by judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arenite.libraries.library import library_called, library_of
from arenite.library_facts import usual_library
from arenite.model import Model
from arenite.ops.tflm_names import add_method
from arenite.target import Target

#: By what a sum was too high at most, and how far other cores may be off.
_SHARED, _OTHERS = 1.26, 0.30


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
    """Flash that TFLM takes with the kernels of a model's operators."""
    core, is_measured, sizes = _measured(target)
    names = {operator.name for graph in model.subgraphs for operator in graph.operators}
    methods = {name: add_method(name) or "" for name in sorted(names)}
    known = [sizes[one] for one in methods.values() if one in sizes and one]
    missing = tuple(name for name, method in methods.items() if method not in sizes or not method)
    base, largest = sizes[""], max(sizes[one] for one in sizes if one)
    low = max(base + max(known, default=0), (base + sum(known)) / _SHARED)
    high = base + sum(known) + largest * len(missing)
    off = 0.0 if is_measured else _OTHERS
    return CodeSize(low * (1 - off), high * (1 + off), missing, core)


def _measured(target: Target) -> tuple[str, bool, Mapping[str, int]]:
    """A core, whether it is the target's with its library, and sizes by line of the resolver."""
    sizes = library_of(target).code_sizes()
    is_own = target.processor in sizes
    sizes = sizes or library_called(usual_library("cortex-m").name).code_sizes()
    core = target.processor if target.processor in sizes else next(iter(sizes))
    return core, is_own, sizes[core]
