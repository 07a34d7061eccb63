"""Builds that explain a firmware's numbers, and what else it should print where several do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arenite.analysis.which.builds import options, spans, state_of, targets
from arenite.analysis.which.lines import Line, lines_of
from arenite.analysis.which.log import Printed, printed, read_log
from arenite.analysis.which.numbers import Build, allocated, builds, classes, numbers_of
from arenite.cores import CORES
from arenite.formats import Source, model_of
from arenite.library_facts import facts_of, usual_library
from arenite.model import Model
from arenite.options import function_or_none, instance, optional, takes, text, whole
from arenite.revisions.cmsis_nn import fetched_by
from arenite.target import Target, find_target

#: Ends of arenas that are no multiple of 16 bytes, tried where nothing else explains the numbers.
_PASTS = (8, 4, 12)
#: What may be asked for besides; builds that print other numbers for a total are told apart by
#: less: what a ``RecordingMicroAllocator`` takes for itself is in ``total`` and ``tail``.
_NEVER_ASKED = {"total", "tail"}
_MOST_ASKED = 3
_NEAREST = 3


@dataclass(frozen=True)
class Group:
    """Builds that print the same numbers, so that none of these tells them apart.

    Attributes:
        builds: All of them.
        lines: The same as few sentences.
        numbers: What they print.
        differing: Numbers that were given and are not theirs; empty where they explain all.
    """

    builds: tuple[Build, ...]
    lines: tuple[Line, ...]
    numbers: dict[str, int]
    differing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Facts as JSON."""
        return {
            "builds": [line.to_dict() for line in self.lines],
            "numbers": self.numbers,
            "differing": list(self.differing),
        }


@dataclass(frozen=True)
class Explained:
    """The result of :func:`which`.

    Attributes:
        file: The model's.
        given: The numbers that were printed.
        tried: Builds that were compared.
        groups: Those that explain every number, the likeliest first.
        nearest: Where none does, those that explain most numbers.
        asks: Names of numbers that would tell the groups apart, the best one first.
    """

    file: str
    given: Printed
    tried: int
    groups: tuple[Group, ...]
    nearest: tuple[Group, ...]
    asks: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Facts as JSON."""
        return {
            "file": self.file,
            "given": self.given.numbers,
            "unknown": list(self.given.unknown),
            "tried": self.tried,
            "explains": bool(self.groups),
            "groups": [group.to_dict() for group in self.groups],
            "nearest": [group.to_dict() for group in self.nearest],
            "print_besides": list(self.asks),
        }

    def __repr__(self) -> str:
        shown = self.groups or self.nearest
        return "\n".join(str(line) for group in shown for line in group.lines)


@takes(
    log=optional(instance(str, os.PathLike, bytes, expected="a log's path or its bytes")),
    used=optional(whole(0)),
    target=optional(text),
    library=optional(text),
    progress=function_or_none,
)
def which(
    model: Model | Source,
    log: str | os.PathLike[str] | bytes | None = None,
    *,
    used: int | None = None,
    target: str | None = None,
    library: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> Explained:
    """The TFLM, library and build that explain what a firmware printed of its arena.

    Args:
        model: A model, a file's path, or a file's bytes.
        log: A log's path, or its bytes: ``arena_used_bytes()`` or the lines of
            ``RecordingMicroAllocator``, with any text around them.
        used: What ``arena_used_bytes()`` gave.
        target: The processor, where it is known.
        library: The library of kernels, where it is known.
        progress: Is told which part of the builds was tried.

    Raises:
        CompareError: The log has no such numbers, or one with two values.
        AreniteError: No build takes the model.
        ValueError: There is no processor or library of that name.
    """
    loaded = model_of(model)
    given = printed("" if log is None else read_log(log), used)
    tried = _tried(loaded, given, _meant(target, library), progress)
    exact = [build for build in tried if not _differing(build.numbers, given)]
    if not exact:
        exact = _past_the_end(loaded, tried, given)
    groups = _groups(exact, given)
    nearest = () if groups else _groups(_nearest(tried, given), given)[:_NEAREST]
    return Explained(loaded.source, given, len(tried), groups, nearest, _asks(groups, given))


def _meant(processor: str | None, library: str | None) -> list[Target]:
    """The targets of a processor and a library; all where none was named."""
    found = list(targets())
    if processor is not None:
        core = find_target(processor)
        found = [one for one in found if _is_for(one, core)]
    if library is not None:
        name = library.replace("-", "_")
        Target(find_target(processor).processor if processor else _a_processor(name), name)
        found = [one for one in found if one.library == name]
    return found


def _a_processor(library: str) -> str:
    return next((one.processor for one in targets() if one.library == library), "host")


def _is_for(one: Target, core: Target) -> bool:
    """Whether a target stands for a processor: of TFLM's own kernels, the structs alone count."""
    if facts_of(one.library).is_reference:
        return (one.processor == "host") == (core.processor == "host") and (
            core.processor == "host" or one.abi == core.abi
        )
    return one.library in {core.library} and one.instructions == core.instructions


def _tried(
    model: Model,
    given: Printed,
    meant: Iterable[Target],
    progress: Callable[[float], object] | None,
) -> list[Build]:
    groups, times, found = classes(model, meant), spans(model), list[Build]()
    for number, group in enumerate(groups):
        chosen = options(model, group[0], is_recording=given.is_recording or None)
        found += builds(model, group, times, chosen)
        if progress is not None:
            progress((number + 1) / len(groups))
    return found


def _differing(numbers: dict[str, int], given: Printed) -> tuple[str, ...]:
    """Names of numbers that are others than was printed."""
    return tuple(n for n, value in given.numbers.items() if numbers.get(n, 0) != value)


def _past_the_end(model: Model, tried: Iterable[Build], given: Printed) -> list[Build]:
    """Builds that explain the numbers in an arena whose end is no multiple of 16."""
    found = []
    for build in tried:
        wrong = {n: abs(build.numbers.get(n, 0) - given.numbers[n]) for n in given.numbers}
        if max(wrong.values()) > max(_PASTS):
            continue
        target = replace(build.targets[0], tflm=build.span.revision)
        for past in _PASTS:
            numbers = numbers_of(allocated(model, target, build.options, past))
            if not _differing(numbers, given):
                found.append(build._replace(numbers=numbers, past=past))
    return found


def _nearest(tried: Sequence[Build], given: Printed) -> list[Build]:
    """Those that explain most numbers, and miss the others by least."""

    def distance(build: Build) -> tuple[int, int]:
        wrong = _differing(build.numbers, given)
        return len(wrong), sum(abs(build.numbers.get(n, 0) - given.numbers[n]) for n in wrong)

    distances = sorted({distance(build) for build in tried})[:_NEAREST]
    return [build for build in tried if distance(build) in distances]


def _groups(found: Iterable[Build], given: Printed) -> tuple[Group, ...]:
    """Builds that print the same, the likeliest first."""
    same: dict[tuple[tuple[str, int], ...], list[Build]] = {}
    for build in found:
        same.setdefault(tuple(sorted(build.numbers.items())), []).append(build)
    groups = []
    for members in same.values():
        members.sort(key=lambda build: _unlikely(build, given))
        numbers = members[0].numbers
        lines = tuple(lines_of(members))
        groups.append(Group(tuple(members), lines, numbers, _differing(numbers, given)))
    return tuple(sorted(groups, key=lambda group: _rank(group, given)))


def _rank(group: Group, given: Printed) -> tuple[int, int, int]:
    """First what explains most, then what is usual, then what of that held for longest."""
    least, _ = _unlikely(group.builds[0], given)
    usual = {build.span for build in group.builds if _unlikely(build, given)[0] == least}
    return len(group.differing), least, -sum(span.days for span in usual)


def _unlikely(build: Build, given: Printed) -> tuple[int, str]:
    """The number of things that most firmware has otherwise; of its times, the last comes first."""
    target, chosen = build.targets[0], build.options
    is_host = target.processor == "host"
    unusual = (
        2 * (chosen.planner != "greedy"),
        2 * bool(build.past),
        chosen.is_recording and not given.is_recording and target.abi != "lp64",
        target.abi == "lp64_public",
        all(one.compiler != "gcc" for one in build.targets),
        not is_host and target.library != usual_library(CORES[target.processor].family).name,
        CORES[target.processor].family == "cortex-m" and not _has_dsp(build),
        2 * (not any(_is_fetched(one, build) for one in build.targets)),
    )
    backwards = "".join(chr(255 - ord(letter)) for letter in build.span.last)
    return sum(map(int, unusual)), backwards


def _is_fetched(target: Target, build: Build) -> bool:
    """Whether TFLM of that time fetches the library's state."""
    state, span = state_of(target), build.span
    if state is None:
        return True
    return state.first <= fetched_by(span.last) and fetched_by(span.first) <= state.last


def _has_dsp(build: Build) -> bool:
    """Whether it may be for the Cortex-M that most boards have."""
    return any(
        facts_of(one.library).is_reference or one.instructions == "dsp" for one in build.targets
    )


def _asks(groups: Sequence[Group], given: Printed) -> tuple[str, ...]:
    """The fewest numbers that tell the groups apart, as far as numbers do."""
    names = {name for group in groups for name in group.numbers}
    left = sorted(names - set(given.numbers) - _NEVER_ASKED)
    asked: list[str] = []

    def kinds(more: Sequence[str]) -> int:
        return len(Counter(tuple(g.numbers.get(n, 0) for n in more) for g in groups))

    while left and len(asked) < _MOST_ASKED:
        best = max(left, key=lambda name: kinds([*asked, name]))
        if kinds([*asked, best]) == kinds(asked):
            break
        asked.append(best)
    return tuple(asked)
