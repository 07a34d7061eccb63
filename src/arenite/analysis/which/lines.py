"""Many builds in few lines: what differs in one respect alone is said together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arenite.analysis.which.builds import Options, Span, representatives, state_of, targets
from arenite.analysis.which.numbers import Build
from arenite.cores import CORES, INSTRUCTION_NAMES
from arenite.library_facts import facts_of
from arenite.revisions import cmsis_nn
from arenite.revisions.known import LAST

#: A value or several of each respect, in this order.
_AXES = (
    "span",
    "state",
    "compiler",
    "glue",
    "version",
    "instructions",
    "library",
    "abi",
    "options",
    "past",
)
_COMPILERS = {"gcc": "GCC", "armclang": "Arm Compiler 6"}


@dataclass(frozen=True)
class Line:
    """Builds that are every combination of these.

    Attributes:
        times: Of TFLM, joined where one follows the other.
        library: Its name.
        instructions: What the processor has; empty where it does not matter.
        compilers: Names; empty where it does not matter.
        versions: The library's releases; empty where it has none.
        glue_versions: Those of what calls it.
        states: Its days, where these tell it; empty where they do not matter.
        abis: Whose structs count.
        options: What the firmware's code decides.
        past: Bytes of the arena behind the last multiple of 16.
    """

    times: tuple[Span, ...]
    library: str
    instructions: tuple[str, ...]
    compilers: tuple[str, ...]
    versions: tuple[str, ...]
    glue_versions: tuple[str, ...]
    states: tuple[Span, ...]
    abis: tuple[str, ...]
    options: tuple[Options, ...]
    past: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Facts as JSON."""
        return {
            "tflm": [[span.first, span.last] for span in self.times],
            "sdks": [name for span in self.times for name in span.sdks],
            "library": self.library,
            "library_versions": list(self.versions),
            "glue_versions": list(self.glue_versions),
            "library_days": [[span.first, span.last] for span in self.states],
            "instructions": list(self.instructions),
            "compilers": list(self.compilers),
            "abis": list(self.abis),
            "options": [one._asdict() for one in self.options],
            "arena_end": list(self.past),
        }

    def __str__(self) -> str:
        facts = facts_of(self.library)
        title = "its own kernels" if facts.is_reference else facts.title
        parts = [
            f"TFLM of {_or([_days(span) for span in self.times])}{self._sdks()}",
            f"{title}{_numbers(self.versions, facts.versions)}",
        ]
        if self.states:
            parts[-1] += f" of {_or([_state(span) for span in self.states])}"
        if self.glue_versions and len(self.glue_versions) < len(facts.glue_versions):
            parts.append(f"{facts.glue}{_numbers(self.glue_versions, facts.glue_versions)}")
        if self.instructions:
            names = [INSTRUCTION_NAMES[one] for one in self.instructions]  # type: ignore[index]
            parts.append(f"a processor with {_or(sorted(set(names)))}")
        if self.compilers:
            parts.append(_or([_COMPILERS[one] for one in self.compilers]))
        parts.append(f"structs of {_or(self.abis)}")
        if words := [_said(one) for one in self.options]:
            parts += [] if words == [""] else [_or([one or "neither" for one in words])]
        if self.past != (0,):
            ends = _or([str(one) for one in self.past])
            parts.append(f"an arena that ends {ends} bytes behind a multiple of 16")
        return ", ".join(parts)

    def _sdks(self) -> str:
        names = [name for span in self.times for name in span.sdks]
        return f" ({', '.join(names)})" if names else ""


def lines_of(found: Sequence[Build]) -> Iterator[Line]:
    """The fewest lines, respects joined one after the other, in the order of the builds."""
    rows = [row for build in found for row in _rows(build)]
    for axis in range(len(_AXES)):
        rows = _joined(rows, axis)
    for row in rows:
        yield _line(dict(zip(_AXES, row, strict=True)))


def _rows(build: Build) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """A row for each target, with one value of every respect."""
    for one in build.targets:
        yield (
            (build.span,),
            (state_of(one),),
            (one.compiler,),
            (one.glue_version,),
            (one.library_version,),
            (one.instructions,),
            (one.library,),
            (one.abi,),
            (build.options,),
            (build.past,),
        )


def _joined(rows: Iterable[tuple[Any, ...]], axis: int) -> list[tuple[Any, ...]]:
    """Rows that differ in one respect alone, as one with the values of all."""
    if _AXES[axis] == "library":
        return list(rows)
    same: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        values = same.setdefault((*row[:axis], *row[axis + 1 :]), [])
        values += [value for value in row[axis] if value not in values]
    return [(*key[:axis], tuple(sorted(values)), *key[axis:]) for key, values in same.items()]


def _line(row: dict[str, tuple[Any, ...]]) -> Line:
    (library,) = row["library"]
    facts = facts_of(library)
    kinds = {CORES[name].instructions for name in representatives(facts)}
    those = [one for one in targets() if one.library == library]
    compilers = {one.compiler for one in those}
    states = {state_of(one) for one in those}
    return Line(
        times=_following(row["span"]),
        library=library,
        instructions=() if kinds <= set(row["instructions"]) else row["instructions"],
        compilers=() if compilers <= set(row["compiler"]) else row["compiler"],
        versions=tuple(v for v in facts.versions if v in row["version"]),
        glue_versions=tuple(v for v in facts.glue_versions if v in row["glue"]),
        states=() if states <= set(row["state"]) else _following(row["state"]),
        abis=row["abi"],
        options=row["options"],
        past=row["past"],
    )


def _following(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans joined where one begins on the day after another's last."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and Span(found[-1].last, span.first).days == 2:
            found[-1] = Span(found[-1].first, span.last)
        else:
            found.append(span)
    return tuple(found)


def _days(span: Span) -> str:
    if span.first == span.last:
        return span.first
    return f"{span.first} to {'today' if span.last == LAST else span.last}"


def _state(span: Span) -> str:
    """Days of a library; what was before the first that is known counts as that."""
    if span.first == cmsis_nn.FIRST:
        return f"{span.last} or before"
    return f"{span.first} on" if span.last == cmsis_nn.LAST else f"{span.first} to {span.last}"


def _numbers(versions: Sequence[str], known: Sequence[str]) -> str:
    """Releases, those that follow each other as a range; nothing where it may be any."""
    if len(versions) == len(known):
        return ""
    runs: list[list[str]] = []
    for version in versions:
        if runs and known.index(version) == known.index(runs[-1][-1]) + 1:
            runs[-1].append(version)
        else:
            runs.append([version])
    return " " + _or([run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs])


def _said(options: Options) -> str:
    words = []
    if options.planner != "greedy":
        words.append("all tensors preserved")
    if options.is_recording:
        words.append("RecordingMicroAllocator")
    if options.variables_arena:
        words.append("variables in an arena of their own")
    return " and ".join(words)


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
