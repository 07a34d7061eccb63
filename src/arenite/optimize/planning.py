"""The best places of a model's tensors in the head of a firmware's arena.

The planner's problem has every tensor and scratch buffer of the head as the firmware allocates
them, and separations for outputs that may reach into their inputs. Scratch buffers cannot be part
of a model's plan: TFLM puts them around it. So what a plan is worth is measured by allocating it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from arenite.errors import PlanError, UndefinedWarning
from arenite.memory.abi import align_up
from arenite.memory.arena import ARENA_ALIGNMENT
from arenite.memory.offline import with_plan, without_plan
from arenite.memory.optimal import optimal
from arenite.memory.plan import PlannedBuffer
from arenite.memory.problem import Buffer, Problem, Separation, Solution
from arenite.memory.validate import validate
from arenite.model import Model
from arenite.model.offline_plan import Origin
from arenite.optimize.settings import Overlap
from arenite.optimize.stub_operators import resolver_for
from arenite.runtime.distances import BUILDS, SafeDistance, safe_distances
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target

#: Plans with steps that do not fit are tried again without them, so many times at most.
_ROUNDS = 8


class Layout(NamedTuple):
    """A plan of the head.

    Attributes:
        offsets: Of all buffers, in bytes, in the order of :attr:`Head.buffers`.
        height: Bytes.
        lower_bound: What every plan takes, at least.
        is_proved: Whether no plan takes fewer.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    is_proved: bool


class Worth(NamedTuple):
    """Bytes of the smallest arena that works, and of the head; what is less is better."""

    arena: int
    head: int


class Pair(NamedTuple):
    """Buffers of an output and of an input that begins ``distance`` bytes above it, or more."""

    output: int
    input: int
    distance: int
    step: int


@dataclass(frozen=True)
class Head:
    """Buffers that share the head of a firmware's arena, and how close they may come."""

    model: Model
    target: Target
    overlap: Overlap
    buffers: tuple[PlannedBuffer, ...]
    distances: tuple[SafeDistance, ...]

    @classmethod
    def of(cls, model: Model, target: Target, overlap: Overlap = "none") -> Head:
        """The head of a model without a plan of its own."""
        bare = without_plan(model)
        buffers = allocated(bare, target).plan.buffers
        kept = tuple(b for b in buffers if b.kind != "variable")
        return cls(bare, target, overlap, kept, _distances(bare, target, overlap))

    def overlapping(self, overlap: Overlap) -> Head:
        """The same head, whose outputs may reach into inputs in another way."""
        distances = _distances(self.model, self.target, overlap)
        return replace(self, overlap=overlap, distances=distances)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Outputs whose input is needed for the last time when they are written.

        Within the main subgraph, whose operators run once. An output of the model stays.
        """
        tensors = enumerate(self.buffers)
        number = {(b.subgraph, b.index): n for n, b in tensors if b.kind == "tensor"}
        found = []
        for one in self.distances:
            out, inp = (number.get((0, i)) for i in (one.output_tensor, one.input_tensor))
            if one.subgraph or out is None or inp is None:
                continue
            ends = self.buffers[inp].end == self.buffers[out].begin + 1
            if ends and one.input_tensor not in self.model.main.outputs:
                found.append(Pair(out, inp, one.distance, one.step))
        return tuple(found)

    def layout(self, seconds: float) -> Layout:
        """The least plan that was found.

        A copy (RESHAPE) may be left out where both its tensors have one place, which also ties
        what comes before it to what comes behind. So plans with and without that are looked for.
        """
        views = any(pair.step == 0 for pair in self.pairs)
        found = [self._solved(joined, seconds) for joined in ([True, False] if views else [False])]
        bound = min(one.lower_bound for one in found)
        best = min(found, key=lambda one: one.height)
        proved = best.height <= bound or all(one.is_proved for one in found)
        return best._replace(lower_bound=min(bound, best.height), is_proved=proved)

    def _solved(self, joined: bool, seconds: float) -> Layout:
        groups = _groups(len(self.buffers), self.pairs if joined else ())
        pairs = [pair for pair in self.pairs if pair.step]
        layout = self._of_groups(groups, pairs, seconds)
        for _ in range(_ROUNDS):
            bad = [pair for pair in pairs if _is_between_steps(pair, layout.offsets, self.buffers)]
            if not bad:
                return layout
            # Only multiples of a step are safe for these, which no planner knows of.
            gone = frozenset(bad)
            pairs = [pair for pair in pairs if pair not in gone]
            layout = self._of_groups(groups, pairs, seconds)._replace(is_proved=False)
        return self._of_groups(groups, [p for p in pairs if p.step == 1], seconds)

    def _of_groups(self, groups: Sequence[int], pairs: Iterable[Pair], seconds: float) -> Layout:
        """A plan in which buffers of one group begin at one place."""
        names = sorted(set(groups))
        members: dict[int, list[int]] = {name: [] for name in names}
        for number, group in enumerate(groups):
            members[group].append(number)
        at = {name: number for number, name in enumerate(names)}
        joined = tuple(_joined([self.buffers[n] for n in members[name]]) for name in names)
        separations = []
        for pair in pairs:
            lower, upper = at[groups[pair.output]], at[groups[pair.input]]
            distance = align_up(pair.distance, ARENA_ALIGNMENT)
            meets = joined[upper].end == joined[lower].begin + 1
            fits = pair.step == 1 or pair.step % ARENA_ALIGNMENT == 0
            if lower != upper and meets and fits and distance < joined[lower].size:
                separations.append(Separation(lower, upper, distance))
        problem = Problem(joined, tuple(separations))
        found = optimal(problem, seconds=seconds)
        validate(problem, found.solution)
        offsets = tuple(found.solution.offsets[at[group]] for group in groups)
        return Layout(offsets, found.solution.size, found.lower_bound, found.is_proved)

    def finished(self, layout: Layout) -> Model:
        """The model with a plan.

        Left to TFLM are constants and variables, what is never alive, scratch buffers, and tensors
        of the main subgraph that have the number of another subgraph's variable: TFLM looks there
        for the variable's own offset (``AllocateVariables``).
        """
        hidden = {
            index
            for subgraph in self.model.subgraphs[1:]
            for index, tensor in enumerate(subgraph.tensors)
            if tensor.is_variable
        }
        offsets = {
            (b.subgraph, b.index): offset
            for b, offset in zip(self.buffers, layout.offsets, strict=True)
            if b.kind == "tensor" and b.begin >= 0 and (b.subgraph or b.index not in hidden)
        }
        target = self.target
        origin = Origin(self.overlap, target.processor, target.library, target.compiler)
        return with_plan(self.model, offsets, origin)

    def check(self, planned: Model) -> None:
        """Allocate the plan on every build that it is for, each of which checks its distances.

        Raises:
            PlanError: An output reaches into what is still needed.
        """
        builds = BUILDS if self.overlap == "portable" else ()
        for build in dict.fromkeys((self.target, *builds)):
            buffers = allocated(planned, build).plan.buffers
            heads = (b for b in buffers if b.kind != "variable")
            places = {(str(b.kind), b.subgraph, b.index): b for b in heads}
            if len(places) != len(self.buffers):
                continue  # scratch buffers are another build's
            found = [places.get((b.kind, b.subgraph, b.index)) for b in self.buffers]
            self._check_alive([b for b in found if b is not None])

    def _check_alive(self, found: Sequence[PlannedBuffer]) -> None:
        """No two buffers that are alive together share bytes, but those of :attr:`pairs`."""
        if len(found) != len(self.buffers):
            raise PlanError(f"expected {len(self.buffers)} buffers in the head, got {len(found)}")
        allowed = tuple(
            Separation(pair.output, pair.input, pair.distance)
            for pair in self.pairs
            if pair.step != 0 or found[pair.output].offset == found[pair.input].offset
        )
        buffers = tuple(Buffer(align_up(b.size, 16), b.begin, b.end) for b in found)
        offsets = tuple(b.offset for b in found)
        size = max((o + b.size for o, b in zip(offsets, buffers, strict=True)), default=0)
        validate(Problem(buffers, allowed), Solution(offsets, size))


def allocated(model: Model, target: Target) -> MicroInterpreter:
    """The model in the smallest arena of a firmware.

    Something stands in for operators that nobody knows here. It lies on no input of its own.
    """
    resolver, _ = resolver_for(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)  # the original has said so
        return MicroInterpreter.in_smallest_arena(model, resolver, target=target)


def _distances(model: Model, target: Target, overlap: Overlap) -> tuple[SafeDistance, ...]:
    resolver, _ = resolver_for(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return safe_distances(model, target, overlap, resolver)


def worth(model: Model, target: Target) -> Worth:
    """A model's share of a firmware's arena, with the plan that it brings."""
    used = allocated(model, target).allocations()
    return Worth(used.peak.smallest_arena, used.head)


def _groups(count: int, pairs: Iterable[Pair]) -> list[int]:
    """A number for every buffer; those of a copy's two tensors are the same."""
    within = list(range(count))  # a buffer of the same group, itself where that names the group

    def group_of(number: int) -> int:
        while within[number] != number:
            within[number] = within[within[number]]
            number = within[number]
        return number

    for pair in pairs:
        if pair.step == 0:
            within[group_of(pair.output)] = group_of(pair.input)
    return list(map(group_of, range(count)))


def _joined(buffers: Sequence[PlannedBuffer]) -> Buffer:
    """A buffer with room for all of these at one place."""
    size = align_up(max(b.size for b in buffers), ARENA_ALIGNMENT)
    begin, end = min(b.begin for b in buffers), max(b.end for b in buffers)
    return Buffer(size, begin, end, ARENA_ALIGNMENT)


def _is_between_steps(pair: Pair, offsets: Sequence[int], buffers: Sequence[PlannedBuffer]) -> bool:
    """Whether two buffers overlap at a distance that is none of a pair's steps."""
    apart = offsets[pair.input] - offsets[pair.output]
    overlap = -buffers[pair.input].size < apart < buffers[pair.output].size
    return overlap and pair.step > 1 and (apart - pair.distance) % pair.step != 0
