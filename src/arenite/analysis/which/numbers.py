"""Numbers that a build would print of a model's arena."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from typing import NamedTuple

from arenite.analysis.which.builds import Options, Span
from arenite.errors import AreniteError, UndefinedWarning
from arenite.memory.allocator import MicroAllocator
from arenite.memory.recording import PRINTED_ROWS, Allocations
from arenite.model import Model
from arenite.ops import resolver_of
from arenite.runtime.allocation import dry_run
from arenite.runtime.interpreter_config import Setup
from arenite.target import Target


class Build(NamedTuple):
    """A firmware, and what it prints.

    Attributes:
        targets: That take the same memory.
        span: The times of its TFLM.
        options: What its code decides.
        numbers: What it prints, by name.
        past: Bytes of the arena behind the last multiple of 16.
    """

    targets: tuple[Target, ...]
    span: Span
    options: Options
    numbers: dict[str, int]
    past: int = 0


def numbers_of(found: Allocations) -> dict[str, int]:
    """``total``, ``head`` and ``tail``, and three of every row that TFLM prints."""
    numbers = {"total": found.total, "head": found.head, "tail": found.tail}
    for row in found.categories:
        if row.name in PRINTED_ROWS:
            numbers[f"{row.name}: used"] = row.used_bytes
            numbers[f"{row.name}: requested"] = row.requested_bytes
            numbers[f"{row.name}: count"] = row.count
    return numbers


def classes(model: Model, targets: Iterable[Target]) -> list[tuple[Target, ...]]:
    """The targets, those together that link the same library and take the same memory.

    Raises:
        AreniteError: None takes the model.
    """
    found: dict[tuple[object, ...], list[Target]] = {}
    refusals = []
    for target in targets:
        try:
            made = allocated(model, target, Options())
        except AreniteError as error:
            refusals.append(error)
            continue
        rows = tuple(astuple(one)[:3] + astuple(one)[4:] for one in made.records)
        found.setdefault((target.library, target.abi, made.head, rows), []).append(target)
    if not found and refusals:
        raise refusals[0]
    return [tuple(group) for group in found.values()]


def builds(
    model: Model, group: tuple[Target, ...], times: Iterable[Span], chosen: Iterable[Options]
) -> Iterator[Build]:
    """A class's builds of all times that take the model."""
    kept = tuple(chosen)
    for span in times:
        target = replace(group[0], tflm=span.revision)
        for one in kept:
            try:
                numbers = numbers_of(allocated(model, target, one))
            except AreniteError:
                continue
            yield Build(group, span, one, numbers)


def allocated(model: Model, target: Target, options: Options, past: int = 0) -> Allocations:
    """A build's allocations, in an endless arena or in one that ends ``past`` a multiple of 16.

    Raises:
        AreniteError: It does not take the model.
    """
    meant = replace(target, variables_arena=options.variables_arena)
    preserves = options.planner != "greedy"
    setup = Setup.of(meant, planner=options.planner, preserve_all_tensors=preserves)
    memory = None if not past else _room(model, target, options) + past
    allocator = MicroAllocator.create(
        memory, planner=setup.planner, target=meant, is_recording=options.is_recording
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return dry_run(setup.planned(model), setup.resolver(resolver_of(model)), allocator)


def _room(model: Model, target: Target, options: Options) -> int:
    """Bytes of an arena that is large enough, a multiple of 16."""
    return allocated(model, target, options).peak.smallest_arena + 64
