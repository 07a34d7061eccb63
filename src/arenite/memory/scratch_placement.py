"""Firmware's use of a plan: tensors lie where the model says, scratch buffers around them.

TFLM knows a model's plan as offsets of tensors. Scratch buffers have none there; the greedy planner
places them when the tensors have their places, largest first, each in the first gap. A single one
finds the room that the plan left for it. Of several at one moment the first may take the room of
the next; so plans are tried in which they lie side by side, and what counts is what greedy makes
of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from arenite.memory.abi import align_up
from arenite.memory.greedy import greedy
from arenite.memory.problem import Buffer, Planner, Problem, Separation, Solution


def completed(problem: Problem, solution: Solution, scratch: Collection[int]) -> Solution:
    """The plan as it is with all but ``scratch``, numbers of buffers, in the model."""
    if not scratch:
        return solution
    buffers = tuple(
        buffer if number in scratch else buffer._replace(offline_offset=offset)
        for number, (buffer, offset) in enumerate(
            zip(problem.buffers, solution.offsets, strict=True)
        )
    )
    return greedy(Problem(buffers))


def solve_for_firmware(problem: Problem, planner: Planner, scratch: Collection[int]) -> Solution:
    """The best plan of a planner as a firmware completes it; never worse than greedy's own."""
    plan = planner(problem)
    best = completed(problem, plan, scratch)
    if best.size <= plan.size:
        return best
    joined = _join(problem, scratch)
    apart = joined.apart(planner(joined.problem))
    return min(
        best, completed(problem, apart, scratch), greedy(problem), key=lambda found: found.size
    )


class _Joined(NamedTuple):
    """A problem in which scratch buffers of one lifetime are one buffer."""

    problem: Problem
    apart: Callable[[Solution], Solution]


def _join(problem: Problem, scratch: Collection[int]) -> _Joined:
    buffers = problem.buffers
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, buffer in enumerate(buffers):
        key = (-1, buffer.begin, buffer.end) if number in scratch else (number,)
        groups.setdefault(key, []).append(number)
    members = list(groups.values())
    for group in members:  # in greedy's order
        group.sort(key=lambda n: (-buffers[n].size, -n))
    one = {number: at for at, group in enumerate(members) for number in group}
    separations = tuple(
        Separation(one[s.lower], one[s.upper], s.distance) for s in problem.separations
    )
    whole = tuple(_together([buffers[n] for n in group]) for group in members)

    def apart(solution: Solution) -> Solution:
        offsets = [0] * len(buffers)
        for group, offset in zip(members, solution.offsets, strict=True):
            at = offset
            for number in group:
                offsets[number] = at
                at += align_up(buffers[number].size, buffers[number].alignment)
        return Solution(tuple(offsets), solution.size)

    return _Joined(Problem(whole, separations), apart)


def _together(buffers: list[Buffer]) -> Buffer:
    if len(buffers) == 1:
        return buffers[0]
    return buffers[0]._replace(size=sum(align_up(b.size, b.alignment) for b in buffers))
