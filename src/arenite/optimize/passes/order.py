"""Order: operators run in the order in which least memory is alive.

A ``.tflite`` file lists operators in any order in which each comes behind those whose outputs it
reads; its kernels run in that order. See ``docs/optimize.md`` for what keeps its order and why
nothing changes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from arenite.memory.abi import align_up
from arenite.memory.arena import ARENA_ALIGNMENT
from arenite.memory.liveness import ScratchRequest, lifetimes
from arenite.memory.plan import MemoryPlan, PlannedBuffer
from arenite.model import Model, Operator, Subgraph
from arenite.model.calls import calls_of
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.registry import traits_of
from arenite.optimize._schedule import Schedule, Task, Work, least_peak, peak_of, pinned_behind
from arenite.optimize.effort import Effort
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.planning import Head
from arenite.optimize.settings import Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import HOST, Target

_GIVEN_UP = (
    "the search through all orders was given up: more of them than its budget of steps and memory "
    "allows; the best of those that were looked at counts"
)
#: Bytes by subgraph and operator.
Extra = Mapping[tuple[int, int], int]


def order(model: Model, settings: Settings) -> Outcome:
    """Put operators into the order that needs least memory, where that makes the arena smaller."""
    if OFFLINE_METADATA in model.metadata:
        note = Note("$.metadata", f"{OFFLINE_METADATA} is a plan for the order that there is")
        return Outcome(model, declined=(note,))
    target = settings.target or HOST
    plan = _plan(model, target)
    extra = _extra(model, plan)
    changes, declined = [], []
    result = model
    effort, left = Effort(), sum(len(one.operators) for one in model.subgraphs)
    for number, subgraph in enumerate(model.subgraphs):
        work = _work(subgraph, number, plan, extra)
        share = effort.share(len(work.tasks), left)
        given, left = share.steps, left - len(work.tasks)
        found = least_peak(work, effort=share)
        effort.spend(given - share.steps)
        before = peak_of(work, range(len(work.tasks)))
        if not found.is_proved:
            declined.append(Note(f"$.subgraphs[{number}]", _GIVEN_UP))
        if found.peak < before:
            result = _reordered(result, number, found)
            changes.append(Note(f"$.subgraphs[{number}]", _text(found, before)))
    if not changes:
        return Outcome(model, declined=tuple(declined))
    before_and_after = [_bytes_by_plan(one, settings) for one in (model, result)]
    if not _wins(*before_and_after):
        return Outcome(model, declined=(*declined, Note("$", _why_not(*before_and_after))))
    return Outcome(result, tuple(changes), tuple(declined))


def _text(found: Schedule, before: int) -> str:
    proof = "no order has less" if found.is_proved else "the best of those that were tried"
    moved = sum(number != at for at, number in enumerate(found.order))
    return f"{moved} operators moved: {before} to {found.peak} bytes alive at once, {proof}"


# -- what an order is worth


def _bytes_by_plan(model: Model, settings: Settings) -> dict[str, int]:
    """The smallest arena by TFLM's plan and by the best one; the head where outputs may overlap."""
    target = settings.target or HOST
    resolver, _ = resolver_for(model)
    planners = {"TFLM's plan": "greedy", "the best one": "optimal"}
    found = {
        name: smallest_arena(model, resolver, target=target, planner=planner)
        for name, planner in planners.items()
    }
    if settings.overlap != "none":
        head = Head.of(model, target, settings.overlap)
        found["one with outputs over inputs"] = head.layout(settings.seconds).height
    return found


def _wins(before: dict[str, int], after: dict[str, int]) -> bool:
    return after != before and all(after[name] <= size for name, size in before.items())


def _why_not(before: dict[str, int], after: dict[str, int]) -> str:
    texts = [f"by {name} {after[name]} instead of {size}" for name, size in before.items()]
    return (
        "another order needs less memory at once, but not with every plan; bytes "
        f"{', '.join(texts)}"
    )


def _plan(model: Model, target: Target) -> MemoryPlan:
    resolver, _ = resolver_for(model)
    return MicroInterpreter.in_smallest_arena(model, resolver, target=target).plan


# -- what an order is made of


def _work(subgraph: Subgraph, number: int, plan: MemoryPlan, extra: Extra) -> Work:
    """A subgraph's operators as tasks, its tensors in the head with their sizes."""
    sizes = {
        b.index: align_up(b.size, ARENA_ALIGNMENT)
        for b in plan.buffers
        if b.kind == "tensor" and b.subgraph == number
    }
    behind = pinned_behind(
        [n for n, operator in enumerate(subgraph.operators) if _is_pinned(operator, subgraph)]
    )
    tasks = tuple(
        Task(
            _in_head(operator.inputs, sizes),
            _in_head(operator.outputs, sizes),
            behind.get(n, ()),
            extra.get((number, n), 0),
        )
        for n, operator in enumerate(subgraph.operators)
    )
    return Work(
        tasks, sizes, _in_head(subgraph.inputs, sizes), frozenset(_in_head(subgraph.outputs, sizes))
    )


def _in_head(tensors: Sequence[int], sizes: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(t for t in tensors if t in sizes))


def _is_pinned(operator: Operator, subgraph: Subgraph) -> bool:
    """Whether an operator may do more than write its outputs from its inputs."""
    tensors = [subgraph.tensors[t] for t in (*operator.inputs, *operator.outputs) if t >= 0]
    return (
        operator.is_custom
        or traits_of(operator.name).effect in ("variables", "calls")
        or bool(calls_of(operator))
        or bool(operator.intermediates)
        or any(tensor.is_variable for tensor in tensors)
    )


def _extra(model: Model, plan: MemoryPlan) -> Extra:
    """Memory of operators beside their subgraph's tensors: scratch, and subgraphs they call."""
    places = [
        (number, n)
        for number, subgraph in enumerate(model.subgraphs)
        for n in range(len(subgraph.operators))
    ]
    runs = lifetimes(model, [ScratchRequest(0, *place) for place in places]).scratch
    buffers = sorted(plan.buffers, key=_begin)
    extra = {}
    for place, run in zip(places, runs, strict=True):
        first = bisect_left(buffers, run.first_created, key=_begin)
        within = buffers[first : bisect_right(buffers, run.last_used, key=_begin)]
        scratch = [b for b in within if b.kind == "scratch" and b.subgraph == place[0]]
        called = [b for b in within if b.subgraph != place[0] and b.kind != "variable"]
        extra[place] = _sum(b for b in scratch if b.begin == run.first_created) + _most(called)
    return extra


def _sum(buffers: Iterable[PlannedBuffer]) -> int:
    return sum(align_up(b.size, ARENA_ALIGNMENT) for b in buffers)


def _most(buffers: Sequence[PlannedBuffer]) -> int:
    """Bytes of what is alive together at most."""
    changes: defaultdict[int, int] = defaultdict(int)
    for b in buffers:
        if b.begin < b.end:
            changes[b.begin] += align_up(b.size, ARENA_ALIGNMENT)
            changes[b.end] -= align_up(b.size, ARENA_ALIGNMENT)
    return max(accumulate(changes[moment] for moment in sorted(changes)), default=0)


def _begin(buffer: PlannedBuffer) -> int:
    return buffer.begin


def _reordered(model: Model, number: int, found: Schedule) -> Model:
    subgraph = model.subgraphs[number]
    operators = tuple(subgraph.operators[n] for n in found.order)
    subgraphs = list(model.subgraphs)
    subgraphs[number] = replace(subgraph, operators=operators)
    return replace(model, subgraphs=tuple(subgraphs))
