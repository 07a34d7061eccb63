"""The builds that a firmware may be: revisions, libraries, processors, compilers, options.

Builds that take the same memory today do so at all times, if they link the same library: what
changed, changed for both. So revisions are tried with one of each such class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from arenite.cores import CORES, DEFAULT
from arenite.library_facts import LibraryFacts, facts_of, library_names
from arenite.model import Model
from arenite.revisions import cmsis_nn
from arenite.revisions.changes import changes
from arenite.revisions.known import FIRST, LAST, revision_of
from arenite.sdks import releases
from arenite.target import COMPILERS, Target

#: Rows that may change any model's arena; others do where it has the operator.
_FOR_ALL = {"struct", "build"}
#: Rows that change no arena, and refuse nothing.
_FOR_NONE = {"options", "ratios", "other"}
#: What is linked without a library: whose structs, on which processor.
_PLAIN = (
    *(("host", "lp64"), ("host", "lp64_public"), (DEFAULT, "")),
    (next(core.name for core in CORES.values() if core.family == "esp"), ""),
)


class Span(NamedTuple):
    """Days from which to which TFLM is the same as far as a model's arena goes."""

    first: str
    last: str

    @property
    def revision(self) -> str:
        """The value of ``Target.tflm``: the last day, or nothing for today's."""
        return "" if self.last == LAST else self.last

    @property
    def days(self) -> int:
        """The number of days."""
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first)).days + 1

    @property
    def sdks(self) -> list[str]:
        """SDKs that ship a TFLM of that time."""
        days = {name: revision_of(row.revision).date for name, row in releases().items()}
        return [name for name, day in days.items() if self.first <= day <= self.last]


class Options(NamedTuple):
    """Choices of a firmware's own code that change its arena.

    Attributes:
        planner: ``"greedy"``, or ``"linear"``, which preserves all tensors.
        is_recording: It made a ``RecordingMicroAllocator``.
        variables_arena: Bytes of an arena that variables have to themselves.
    """

    planner: str = "greedy"
    is_recording: bool = False
    variables_arena: int = 0


def spans(model: Model) -> list[Span]:
    """The times between changes that this model's arena may notice, oldest first."""
    names = {op.name for graph in model.subgraphs for op in graph.operators}
    days = {
        row.since
        for row in changes()
        if row.what in _FOR_ALL
        or (row.what not in _FOR_NONE and row.subject.rpartition(".")[2] in names)
    }
    starts = [FIRST, *sorted(day for day in days if day > FIRST)]
    ends = [str(date.fromisoformat(day) - timedelta(days=1)) for day in starts[1:]]
    return [Span(*pair) for pair in zip(starts, [*ends, LAST], strict=True)]


@lru_cache(maxsize=1)
def targets() -> tuple[Target, ...]:
    """Today's, one for every difference that there is."""
    return tuple(one for name in library_names() for one in _of_library(facts_of(name)))


def _of_library(library: LibraryFacts) -> Iterator[Target]:
    if library.is_reference:
        for processor, abi in _PLAIN:
            yield Target(processor, library.name, abi=abi)
        return
    compilers = COMPILERS if "compiler" in library.vary_with else COMPILERS[:1]
    parts = product(
        *(representatives(library), compilers),
        *(library.versions or ("",), library.glue_versions or ("",), states(library)),
    )
    for processor, compiler, version, glue, state in parts:
        yield Target(
            *(processor, library.name, compiler),
            library_version=version,
            glue_version=glue,
            cmsis_nn=state,
        )


def states(library: LibraryFacts) -> tuple[str, ...]:
    """Days before each change of a library whose state is told by a day, and the last one."""
    if not library.is_dated:
        return ("",)
    rows = cmsis_nn.changes().values()
    days = sorted({row.since for row in rows if row.what == "scratch"})
    return (*(str(date.fromisoformat(day) - timedelta(days=1)) for day in days), cmsis_nn.LAST)


def state_of(target: Target) -> Span | None:
    """The days of a library that is told by them; None of others."""
    library = facts_of(target.library)
    if not library.is_dated:
        return None
    ends = states(library)
    place = ends.index(target.cmsis_nn)
    first = cmsis_nn.FIRST if not place else _day_after(ends[place - 1])
    return Span(first, target.cmsis_nn)


def _day_after(day: str) -> str:
    return str(date.fromisoformat(day) + timedelta(days=1))


def representatives(library: LibraryFacts) -> Iterable[str]:
    """A processor for each set of instructions that a library is for."""
    cores = [core for core in CORES.values() if core.family in library.families]
    return {core.instructions: core.name for core in reversed(cores)}.values()


def options(model: Model, target: Target, *, is_recording: bool | None) -> Iterator[Options]:
    """Everything that may be decided; ``is_recording`` is None where it is not known."""
    variables = any(op.name == "VAR_HANDLE" for g in model.subgraphs for op in g.operators)
    always = target.abi == "lp64"
    kinds = (True,) if always or is_recording else (False, True)
    for planner in ("greedy", "linear"):
        for kind in kinds:
            yield Options(planner, kind)
            if variables:
                yield Options(planner, kind, 1024)
