"""Arenas laid out otherwise than a planner does, to see what a kernel does beside its tensors."""

from collections.abc import Callable
from itertools import accumulate

import pytest

from arenite.memory import plan as planning
from arenite.memory.problem import Problem, Solution
from arenite.runtime.arena_host import MicroInterpreterContext

#: Bytes between buffers that lie apart.
GAP = 64
#: No arena is smaller: NumPy would give such memory to others, forbidden bytes and all.
LEAST = 1024

Layout = Callable[[Problem], Solution]
#: Forbids ``size`` bytes from an address on; :mod:`tests.native.sanitizer` puts its own here.
forbid: Callable[[int, int], None] = lambda address, size: None  # noqa: E731


def apart(problem: Problem) -> Solution:
    """A place of its own for every buffer, with a gap behind it, whenever it lives."""
    ends = list(accumulate((buffer.size + GAP for buffer in problem.buffers), initial=GAP))
    return Solution(tuple(ends[:-1]), ends[-1] + LEAST)


def stacked(problem: Problem) -> Solution:
    """All buffers over each other from the first byte on."""
    return Solution(
        (0,) * len(problem.buffers), max((buffer.size for buffer in problem.buffers), default=0)
    )


def shifted(problem: Problem) -> Solution:
    """All buffers over each other, each a little behind the last: by 16 bytes, up to 64."""
    places = tuple(16 * (number % 5) for number in range(len(problem.buffers)))
    ends = (at + buffer.size for at, buffer in zip(places, problem.buffers, strict=True))
    return Solution(places, max(ends, default=0))


def staggered(problem: Problem) -> Solution:
    """The same the other way around."""
    places = tuple(64 - 16 * (number % 5) for number in range(len(problem.buffers)))
    ends = (at + buffer.size for at, buffer in zip(places, problem.buffers, strict=True))
    return Solution(places, max(ends, default=0))


def bytewise(problem: Problem) -> Solution:
    """All buffers over each other, by turns one byte further on."""
    places = tuple(2 - number % 3 for number in range(len(problem.buffers)))
    ends = (at + buffer.size for at, buffer in zip(places, problem.buffers, strict=True))
    return Solution(places, max(ends, default=0))


def lay_out(monkeypatch: pytest.MonkeyPatch, layout: Layout) -> None:
    """Have every arena laid out like this, unchecked; gaps of :func:`apart` are forbidden."""
    monkeypatch.setattr(planning, "plan", lambda problem, *_: layout(problem))
    commit = MicroInterpreterContext.commit

    def committed(self: MicroInterpreterContext) -> None:
        commit(self)
        plan = self.memory_plan
        assert plan is not None
        for buffer in plan.buffers:
            if layout is apart and buffer.kind != "variable":
                view = self._allocator.arena.view(buffer.offset, buffer.size + GAP)
                gap = -(-buffer.size // 16) * 16 + GAP - buffer.size
                forbid(view.ctypes.data + buffer.size, gap)

    monkeypatch.setattr(MicroInterpreterContext, "commit", committed)
