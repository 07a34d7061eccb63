"""A profiler that keeps the time of every operator run.

Named after TFLM's ``micro_profiler.h``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from arenite.options import takes, text, whole


@dataclass(frozen=True)
class ProfilerEvent:
    """One run of an operator: its name, when it began and how long it took, in ns."""

    tag: str
    start_ns: int
    ns: int


class MicroProfiler:
    """Give it to an interpreter, run it, look at it.

    >>> profiler = MicroProfiler()
    >>> event = profiler.begin_event("CONV_2D")
    >>> profiler.end_event(event)
    >>> profiler.events[0].tag
    'CONV_2D'
    """

    def __init__(self) -> None:
        self._tags: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    @takes(tag=text)
    def begin_event(self, tag: str) -> int:
        """Start the clock for an operator; returns the event's number."""
        self._tags.append(tag)
        now = time.perf_counter_ns()
        self._starts.append(now)
        self._ends.append(now)
        return len(self._tags) - 1

    @takes(event=whole())
    def end_event(self, event: int) -> None:
        """Stop the clock.

        Raises:
            IndexError: No event of that number has begun.
        """
        if not 0 <= event < len(self._ends):
            raise IndexError(f"event: expected one of {len(self._ends)} that began, got {event}")
        self._ends[event] = time.perf_counter_ns()

    def clear_events(self) -> None:
        """Forget all events."""
        self._tags, self._starts, self._ends = [], [], []

    @property
    def events(self) -> list[ProfilerEvent]:
        """All events in the order in which they began."""
        triples = zip(self._tags, self._starts, self._ends, strict=True)
        return [ProfilerEvent(tag, start, end - start) for tag, start, end in triples]

    @property
    def total_ticks(self) -> int:
        """Sum of all events' durations in ticks of a nanosecond."""
        return sum(self._ends) - sum(self._starts)

    def ticks_per_tag(self) -> dict[str, int]:
        """Sum of durations in ticks for each operator name, in order of appearance."""
        sums: dict[str, int] = {}
        for event in self.events:
            sums[event.tag] = sums.get(event.tag, 0) + event.ns
        return sums

    def __repr__(self) -> str:
        total = self.total_ticks
        lines = [f"{len(self._tags)} operator runs, {total / 1e6:.3f} ms"]
        width = max(map(len, self._tags), default=0)
        for tag, ticks in sorted(self.ticks_per_tag().items(), key=lambda item: -item[1]):
            share = 100 * ticks / total if total else 0
            count = self._tags.count(tag)
            lines.append(f"  {tag:{width}s}  {count:5d} x  {ticks / 1e6:9.3f} ms  {share:5.1f} %")
        return "\n".join(lines)
