"""A model in two memories, one of them slow: what lies where, and what goes to the slow one.

Stock firmware can part an arena in two: ``MicroAllocator::Create`` takes one arena for what lives
as long as the interpreter (the tail) and one for tensors and scratch memory (the head, and what
only planning needs); TFLM ``micro_allocator.cc``. All tensors are in one of the two then. What a
place for every single tensor would give is computed as well: a firmware with a planner of its own
could reach it.

Traffic is counted in bytes that operators read and write, every input and output once, scratch
memory written and read once, parameters of kernels in the tail read once. Caches, and kernels that
read an input several times, are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from arenite.analysis.head_plans import online
from arenite.memory.abi import align_up
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import ARENA_ALIGNMENT
from arenite.memory.optimal import optimal
from arenite.memory.plan import PlannedBuffer, problem_of
from arenite.memory.recording import Category
from arenite.model import Model
from arenite.ops import resolver_of
from arenite.runtime.allocation import dry_run
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target

#: Seconds for each question whether one more tensor fits.
_SECONDS = 0.5


class Ram(NamedTuple):
    """A memory of a board: its name and its size in bytes."""

    name: str
    size: int


class Way(NamedTuple):
    """A way to use two memories.

    Attributes:
        name: What lies where.
        fast: Bytes in the fast memory.
        slow: Bytes in the slow one.
        traffic: Bytes that an inference moves to and from the slow one.
        fits: Whether both are large enough.
        is_stock: Whether TFLM can do that as it is.
    """

    name: str
    fast: int
    slow: int
    traffic: int
    fits: bool
    is_stock: bool


class Piece(NamedTuple):
    """A buffer of the head, and where it lies if each has a place of its own."""

    name: str
    kind: str
    size: int
    traffic: int
    ram: str


@dataclass(frozen=True)
class Split:
    """A model in two memories."""

    fast: Ram
    slow: Ram
    ways: tuple[Way, ...]
    pieces: tuple[Piece, ...]

    @property
    def best(self) -> Way | None:
        """The way of stock TFLM that fits with least traffic; None if none fits."""
        there = [way for way in self.ways if way.fits and way.is_stock]
        return min(there, key=lambda way: way.traffic, default=None)


class _Use(NamedTuple):
    """Bytes of a model, apart: of both arenas, of one for all, and their traffic."""

    head: int
    tail: int
    together: int
    head_traffic: int
    tail_traffic: int


def split(model: Model, target: Target, planner: str, rams: tuple[Ram, Ram]) -> Split:
    """Bytes that a model would take of two memories, the fast one first.

    Raises:
        UnsupportedOperatorError, ConstraintError: The model cannot be allocated.
    """
    fast, slow = rams
    micro = MicroInterpreter.in_smallest_arena(
        model, resolver_of(model), target=target, planner=planner
    )
    buffers = [b for b in micro.plan.buffers if b.kind != "variable"]
    traffic = [traffic_of(model, buffer) for buffer in buffers]
    use = _use(model, micro, planner, sum(traffic))
    chosen = _fastest(buffers, traffic, fast.size)
    heads = [
        _height([b for b, is_in in zip(buffers, chosen, strict=True) if is_in is side])
        for side in (True, False)
    ]
    rest = sum(t for t, is_in in zip(traffic, chosen, strict=True) if not is_in)
    rows = [
        ("one arena in {fast}", use.together, 0, 0, True),
        ("head in {fast}, tail in {slow}", use.head, use.tail, use.tail_traffic, True),
        ("tail in {fast}, head in {slow}", use.tail, use.head, use.head_traffic, True),
        ("one arena in {slow}", 0, use.together, use.head_traffic + use.tail_traffic, True),
        (
            "every tensor by itself, tail in {slow}",
            heads[0],
            heads[1] + use.tail,
            rest + use.tail_traffic,
            False,
        ),
    ]
    ways = tuple(
        Way(
            name.format(fast=fast.name, slow=slow.name),
            a,
            b,
            moved,
            a <= fast.size and b <= slow.size,
            is_stock,
        )
        for name, a, b, moved, is_stock in rows
    )
    pieces = tuple(
        Piece(b.name, b.kind, b.size, t, (fast if is_in else slow).name)
        for b, t, is_in in zip(buffers, traffic, chosen, strict=True)
    )
    return Split(fast, slow, ways, pieces)


def split_facts(found: Split) -> dict[str, Any]:
    """The same for JSON."""
    return {
        "fast": found.fast._asdict(),
        "slow": found.slow._asdict(),
        "ways": [way._asdict() for way in found.ways],
        "tensors": [piece._asdict() for piece in found.pieces],
        "best": None if found.best is None else found.best.name,
    }


def traffic_of(model: Model, buffer: PlannedBuffer) -> int:
    """Bytes that an inference moves for one buffer: readers, writers, and who is outside."""
    if buffer.kind == "scratch":
        return 2 * buffer.size
    subgraph = model.subgraphs[buffer.subgraph]
    ports = (*subgraph.inputs, *subgraph.outputs)
    times = ports.count(buffer.index) + sum(
        (buffer.index in operator.inputs) + (buffer.index in operator.outputs)
        for operator in subgraph.operators
    )
    return times * buffer.size


def _use(model: Model, micro: MicroInterpreter, planner: str, head_traffic: int) -> _Use:
    target = micro.target
    setup = Setup.of(target, planner=planner)
    parts = MicroAllocator.create(None, planner=planner, target=target, is_parted=True)
    allocations = dry_run(model, setup.resolver(resolver_of(model)), parts)
    head, tail = (
        align_up(size, ARENA_ALIGNMENT) for size in (parts.arena.head_high_water, allocations.tail)
    )
    parameters = allocations.category(Category.PERSISTENT_BUFFER).requested_bytes
    variables = sum(traffic_of(model, b) for b in micro.plan.buffers if b.kind == "variable")
    together = micro.allocations().peak.smallest_arena
    return _Use(head, tail, together, head_traffic, parameters + variables)


def _fastest(buffers: Sequence[PlannedBuffer], traffic: Sequence[int], room: int) -> list[bool]:
    """The buffers in the fast memory: by traffic per byte, as long as all fit."""
    chosen = [False] * len(buffers)
    order = sorted(
        range(len(buffers)),
        key=lambda n: (-traffic[n] / max(buffers[n].size, 1), -buffers[n].size, n),
    )
    for number in order:
        chosen[number] = True
        inside = [b for b, is_in in zip(buffers, chosen, strict=True) if is_in]
        if _height(inside, room) > room:
            chosen[number] = False
    return chosen


def _height(buffers: Sequence[PlannedBuffer], enough: int = 0) -> int:
    problem = problem_of([online(buffer) for buffer in buffers])
    return optimal(problem, seconds=_SECONDS, enough=enough).solution.size
