"""All samples in chunks, here or on any executor; every sample counts once.

A chunk is a span of indices. What comes back says which chunk it is for, and the first answer to
each is kept: it does not matter how often an executor has done it.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

import numpy as np

from arenite.analysis.evaluation.bench import Answers, Bench
from arenite.analysis.evaluation.samples import Source
from arenite.analysis.evaluation.workers import Done, Job, Parcel, packed, work
from arenite.errors import EvaluateError
from arenite.model.model import Array

Progress = Callable[[int, int], object]

_FIRST, _GROWTH, _CHUNK_SECONDS = 16, 8, 0.5
#: Inputs of a chunk take at most that many bytes.
_CHUNK_BYTES = 1 << 26
#: A worker gets so many chunks, so that the slowest one is not waited for long.
_CHUNKS_PER_WORKER = 8
#: Chunks at once, per worker: one at work, one that waits.
_AT_ONCE = 2


@dataclass(frozen=True)
class Scale:
    """How the work was spread.

    Attributes:
        chunks: How many pieces there were.
        workers: Processes that answered.
        sent: How often the models were sent.
        again: How often a chunk was handed in once more.
    """

    chunks: int
    workers: tuple[str, ...]
    sent: int = 0
    again: int = 0


def run_here(
    bench: Bench, source: Source, progress: Progress | None = None
) -> tuple[list[Answers], Scale]:
    """All samples in this process, in chunks of about half a second."""
    found: list[Answers] = []
    total, begin, size = len(source), 0, _FIRST
    most = _most_samples(bench)
    while begin < total:
        end = min(begin + size, total)
        start = time.perf_counter()
        found.append(bench.answers(source.part(np.arange(begin, end))))
        seconds = time.perf_counter() - start
        if progress is not None:
            progress(end, total)
        wanted = (end - begin) * min(_GROWTH, _CHUNK_SECONDS / max(seconds, 1e-9))
        begin, size = end, min(max(1, int(wanted)), most)
    return found, Scale(len(found), ("this process",))


def _most_samples(bench: Bench) -> int:
    sizes = [sum(t.nbytes for t in engine.model.inputs) for engine in bench.engines]
    return max(1, _CHUNK_BYTES // max(1, *sizes))


def run_on(
    executor: Executor,
    bench: Bench,
    source: Source,
    *,
    workers: int | None = None,
    chunk: int | None = None,
    retries: int = 2,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> tuple[list[Answers], Scale]:
    """All samples on an executor's workers.

    Args:
        executor: Anything with ``submit`` that gives futures.
        bench: Who is asked; it is pickled.
        source: The samples; every job brings its own.
        workers: How many work at once; by default what the executor says of itself.
        chunk: Samples of a job.
        retries: How often a job that the executor lost is handed in again; errors of samples are
            final.
        timeout: Seconds without any answer after which all jobs that are out count as lost.
        progress: Called with samples done and in all.

    Raises:
        EvaluateError: The executor lost a chunk; says which.
        AreniteError, OSError: A sample cannot be read, or fails.
    """
    try:
        parcel = packed(bench)
    except Exception as error:
        names = ", ".join(engine.label for engine in bench.engines)
        raise EvaluateError(f"{names}: cannot go to other processes: {error}") from error
    count = workers or workers_of(executor)
    size = chunk or max(
        1, min(_most_samples(bench), -(-len(source) // (count * _CHUNKS_PER_WORKER)))
    )
    spans = [(begin, min(begin + size, len(source))) for begin in range(0, len(source), size)]
    board = _Board(executor, source, parcel, spans, count, retries)
    total = len(source)
    while board.is_open:
        board.hand_in()
        board.take(timeout)
        if progress is not None:
            progress(board.samples, total)
    scale = Scale(len(spans), tuple(sorted(board.seen)), board.sent, board.again)
    return [board.done[number] for number in range(len(spans))], scale


def workers_of(executor: Executor) -> int:
    """How many workers an executor has: those of the standard library, Dask's and MPI's say."""
    for name in ("_max_workers", "num_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, sum(map(int, client.ncores().values())))
    return os.cpu_count() or 1


@dataclass
class _Board:
    """Chunks that wait, are out, and are done."""

    executor: Executor
    source: Source
    parcel: Parcel
    spans: Sequence[tuple[int, int]]
    workers: int
    retries: int
    done: dict[int, Answers] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    samples: int = 0
    sent: int = 0
    again: int = 0

    def __post_init__(self) -> None:
        self._waiting = deque((number, False) for number in range(len(self.spans)))
        self._out: dict[Any, int] = {}
        self._failed: dict[int, int] = {}
        self._back: SimpleQueue[Any] = SimpleQueue()

    @property
    def is_open(self) -> bool:
        return len(self.done) < len(self.spans)

    def hand_in(self) -> None:
        """Jobs for all workers; the first for each brings the models."""
        while self._waiting and len(self._out) < self.workers * _AT_ONCE:
            number, needs = self._waiting.popleft()
            if number in self.done:
                continue
            brings = needs or self.sent < self.workers
            begin, end = self.spans[number]
            part = self.source.part(np.arange(begin, end))
            job = Job(number, begin, end, part, self.parcel if brings else self.parcel.label)
            try:
                future = self.executor.submit(work, job)
            except (BrokenExecutor, RuntimeError) as error:
                self._end([number, *self._out.values()], error)
            self.sent += brings
            self._out[future] = number
            future.add_done_callback(self._back.put)

    def take(self, timeout: float | None) -> None:
        """Wait for a job to come back, and take all that have."""
        try:
            future = self._back.get(timeout=timeout)
        except Empty:
            self._give_up_waiting(timeout)
            return
        self._take(future)
        while not self._back.empty():
            self._take(self._back.get())

    def _take(self, future: Any) -> None:
        number = self._out.pop(future, None)
        if number is None:
            return  # was given up, or comes a second time
        try:
            found = future.result()
        except BrokenExecutor as error:
            self._end([number, *self._out.values()], error)
        except (Exception, CancelledError) as error:
            self._lost(number, error)
            return
        if not isinstance(found, Done) or not found.is_of(number, self.spans[number]):
            kind = type(found).__name__
            self._lost(number, EvaluateError(f"an answer that is not this chunk's ({kind})"))
            return
        self.seen.add(found.worker)
        if found.error is not None:
            self._cancel()
            raise found.error
        if found.answers is None:
            self._waiting.appendleft((number, True))
        else:
            self.done[number] = found.answers
            self.samples += found.end - found.begin

    def _give_up_waiting(self, timeout: float | None) -> None:
        for number in sorted(self._out.values()):
            self._lost(number, TimeoutError(f"no answer in {timeout:g} s"))
        self._out.clear()

    def _lost(self, number: int, error: BaseException) -> None:
        self._failed[number] = self._failed.get(number, 0) + 1
        if self._failed[number] > self.retries:
            self._end([number], error)
        self.again += 1
        self._waiting.appendleft((number, True))

    def _end(self, numbers: Sequence[int], error: BaseException) -> NoReturn:
        self._cancel()
        which = sorted(set(numbers))
        texts = [f"{n} (samples {self.spans[n][0]} to {self.spans[n][1] - 1})" for n in which]
        what = "chunk" if len(texts) == 1 else "one of the chunks"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise EvaluateError(
            f"the executor lost {what} {', '.join(texts)}: {reason}; "
            f"{len(self.done)} of {len(self.spans)} chunks were done"
        ) from error

    def _cancel(self) -> None:
        for future in self._out:
            future.cancel()


def in_order(answers: Sequence[Answers], engine: int) -> Array:
    """All samples' values of an engine."""
    return np.concatenate([one.values[engine] for one in answers])
