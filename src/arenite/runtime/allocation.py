"""A model's allocation from start to finish, and how large an arena it takes.

Facts: TFLM ``micro_interpreter.cc`` (``AllocateTensors``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.errors import ArenaError, AreniteError
from arenite.formats import Source, model_of
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import Bytes, Memory, as_bytes
from arenite.memory.recording import Allocations, Peak
from arenite.model import Model
from arenite.ops import OpResolver, resolver_of
from arenite.runtime.arena_host import MicroInterpreterContext
from arenite.runtime.graph import Graph
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.lifecycle import Life
from arenite.target import Target


def sized(arena: Memory | int | None, size: int | None) -> Memory | int | None:
    """The first bytes of a buffer, as C++ has it: a pointer, and how many bytes are behind it.

    Raises:
        TypeError: There is a size and no buffer, or it is no whole number.
        ValueError: The buffer is smaller, or the size negative.
    """
    if size is None:
        return arena
    if arena is None or isinstance(arena, int | np.integer):
        raise TypeError(f"arena_size: expected a buffer as the arena, got {arena!r}")
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise TypeError(f"arena_size: expected a number of bytes, got {size!r}")
    data = as_bytes(arena)
    if not 0 <= size <= len(data):
        raise ValueError(f"arena_size: expected 0 to {len(data)}, the buffer's bytes, got {size}")
    return data[:size]


def smallest_arena(
    model: Model | Source,
    resolver: OpResolver | None = None,
    *,
    target: Target | str | None = None,
    planner: str = "greedy",
    preserve_all_tensors: bool = False,
    resource_variables: int | None = None,
    decompression_memory: Sequence[Memory | int] = (),
) -> int:
    """Bytes of the smallest arena in which the model can be allocated, a multiple of 16.

    Runs all allocations once in an arena without memory and end, and looks at the most
    that was in use at any moment. That calls ``init`` and ``prepare`` of the operators.

    Args:
        model: A model, a file's path, or a file's bytes.
        resolver: Finds the operators; by default all that Arenite has.
        target: The firmware that the arena is for, see :class:`MicroInterpreter`. By default
            the size is the one that TFLM's package on PyPI accepts.
        planner: Name of the memory planner.
        preserve_all_tensors: As for :class:`MicroInterpreter`.
        resource_variables: As for :class:`MicroInterpreter`.
        decompression_memory: As :meth:`MicroInterpreter.set_decompression_memory` takes it.
    """
    setup = Setup.of(
        target,
        planner=planner,
        preserve_all_tensors=preserve_all_tensors,
        resource_variables=resource_variables,
    )
    setup = replace(setup, regions=tuple(map(as_bytes, decompression_memory)))
    return arena_peak(setup.planned(model_of(model)), resolver, setup).smallest_arena


def arena_peak(model: Model, resolver: OpResolver | None, setup: Setup) -> Peak:
    """Allocations that make :func:`smallest_arena` so large."""
    operators = setup.resolver(resolver_of(model) if resolver is None else resolver)
    unlimited = setup.allocator(None)
    variables, regions = setup.resource_variables, setup.regions
    return dry_run(model, operators, unlimited, variables=variables, regions=regions).peak


def dry_run(
    model: Model,
    resolver: OpResolver,
    unlimited: MicroAllocator,
    external_context: Any = None,
    variables: int | None = None,
    *,
    regions: Sequence[Bytes] = (),
) -> Allocations:
    """Allocations of a model, in an arena without memory and end."""
    context = MicroInterpreterContext(unlimited, model, regions=regions)
    context.external_context = external_context
    graph = Graph(model, context, max_variables=variables)
    graph.resolve(resolver)
    life = Life(graph)
    try:
        life.plan()
    finally:
        life.free()
    return unlimited.allocations()


def create_allocator(
    model: Model, resolver: OpResolver, arena: Memory | int | None, setup: Setup
) -> MicroAllocator:
    """An allocator on an arena; ``resolver`` finds the target's operators.

    Raises:
        ArenaError: The arena does not even hold the allocator; ``needed`` is for the model.
    """
    try:
        return setup.allocator(arena)
    except ArenaError as error:
        unlimited, variables = setup.allocator(None), setup.resource_variables
        raise with_needed(error, model, resolver, unlimited, variables=variables) from None


def with_needed(
    error: ArenaError,
    model: Model,
    resolver: OpResolver,
    unlimited: MicroAllocator,
    external_context: Any = None,
    *,
    variables: int | None = None,
    regions: Sequence[Bytes] = (),
) -> ArenaError:
    """The same error with the size that works, where one does."""
    try:
        recorded = dry_run(model, resolver, unlimited, external_context, variables, regions=regions)
        needed = recorded.peak.smallest_arena
    except AreniteError:
        return error
    return ArenaError(
        f"{error}; the smallest arena that works is {needed} bytes",
        requested=error.requested,
        available=error.available,
        needed=needed,
    )
