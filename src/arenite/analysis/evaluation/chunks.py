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

from arenite.analysis.evaluation.bench import Bench
from arenite.analysis.evaluation.kept import Chunk
from arenite.analysis.evaluation.samples import Source
from arenite.analysis.evaluation.spans import Cutter, Span, cutter_of
from arenite.analysis.evaluation.workers import Done, Job, Parcel, packed, work
from arenite.errors import EvaluateError
from arenite.model.model import Array

Progress = Callable[[int, int], object]

#: Inputs of a chunk take at most that many bytes.
_CHUNK_BYTES = 1 << 26
#: A worker gets so many chunks at least, so that the slowest one is not waited for long.
_CHUNKS_PER_WORKER = 8
#: Chunks at once, per worker: one at work, one that waits.
_AT_ONCE = 2


#: An executor, or a function that makes one.
Executing = Executor | Callable[[], Executor]


@dataclass(frozen=True)
class Spread:
    """The cut of the work, and its workers.

    Attributes:
        executor: Any ``concurrent.futures.Executor``: a pool of processes, Dask's
            ``Client.get_executor()``, mpi4py's; by default this process works. Models travel once
            per worker; files must be found under the same paths there. A function that makes an
            executor is called again where one is broken, by a worker that was killed, say; what it
            makes is the caller's to close.
        workers: How many work at once; by default what the executor says.
        chunk: Samples that are done at once; by default as many as half a second takes.
        retries: How often what the executor lost is handed in again; errors of samples are final.
        timeout: Seconds without an answer after which what is out counts as lost.
    """

    executor: Executing | None = None
    workers: int | None = None
    chunk: int | None = None
    retries: int = 2
    timeout: float | None = None


@dataclass(frozen=True)
class Scale:
    """The spread of the work, as it was.

    Attributes:
        chunks: How many pieces there were.
        workers: Processes that answered.
        sent: How often the models were sent.
        again: How often a chunk was handed in once more.
        pools: How often a broken executor was replaced.
    """

    chunks: int
    workers: tuple[str, ...]
    sent: int = 0
    again: int = 0
    pools: int = 0


@dataclass(frozen=True, eq=False)
class Work:
    """Samples to do, and how.

    Attributes:
        bench: Who is asked.
        source: The samples.
        done: Chunks that are done, in order.
        chunk: Samples of a chunk; by default as many as half a second takes.
        progress: Called with samples done and in all.
        keep: Called with every chunk that is done.
    """

    bench: Bench
    source: Source
    done: Sequence[Chunk] = ()
    chunk: int | None = None
    progress: Progress | None = None
    keep: Callable[[Chunk], None] | None = None

    def cutter(self, most: int) -> Cutter:
        """Cutter of the rest."""
        spans = [(one.begin, one.end) for one in self.done]
        return cutter_of(spans, len(self.source), self.chunk, most)

    def part(self, span: Span) -> Source:
        """A chunk's samples."""
        return self.source.part(np.arange(*span))

    def tell(self, done: int) -> None:
        """Tell how many samples are done."""
        if self.progress is not None:
            self.progress(done, len(self.source))

    @property
    def samples_done(self) -> int:
        """Samples that were done before."""
        return sum(one.end - one.begin for one in self.done)


def run_here(todo: Work) -> tuple[list[Chunk], Scale]:
    """All samples in this process; chunks in the order of their samples."""
    found = list(todo.done)
    cutter, done = todo.cutter(_most_samples(todo.bench)), todo.samples_done
    todo.tell(done)
    while (span := cutter.cut()) is not None:
        start = time.perf_counter()
        chunk = Chunk(*span, todo.bench.answers(todo.part(span)))
        cutter.learn(span[1] - span[0], time.perf_counter() - start)
        if todo.keep is not None:
            todo.keep(chunk)
        found.append(chunk)
        done += span[1] - span[0]
        todo.tell(done)
    return _sorted(found), Scale(len(found) - len(todo.done), ("this process",))


def _sorted(chunks: list[Chunk]) -> list[Chunk]:
    return sorted(chunks, key=lambda one: one.begin)


def _most_samples(bench: Bench) -> int:
    sizes = [sum(t.nbytes for t in engine.model.inputs) for engine in bench.engines]
    return max(1, _CHUNK_BYTES // max(1, *sizes))


def run_on(executor: Executing, todo: Work, spread: Spread) -> tuple[list[Chunk], Scale]:
    """All samples on an executor's workers; chunks in the order of their samples.

    Args:
        executor: That of ``spread``.
        todo: What there is to do; the bench is pickled, and every job brings its own samples.
        spread: Who does it.

    Raises:
        EvaluateError: The executor lost a chunk; says which.
        AreniteError, OSError: A sample cannot be read, or fails.
    """
    try:
        parcel = packed(todo.bench)
    except Exception as error:
        names = ", ".join(engine.label for engine in todo.bench.engines)
        raise EvaluateError(f"{names}: cannot go to other processes: {error}") from error
    todo.tell(todo.samples_done)
    makes = None if hasattr(executor, "submit") else executor
    first: Any = executor if makes is None else makes()
    count = spread.workers or workers_of(first)
    share = -(-len(todo.source) // (count * _CHUNKS_PER_WORKER))
    cutter = todo.cutter(max(1, min(_most_samples(todo.bench), share)))
    board = _Board(first, makes, todo, cutter, parcel, count, spread.retries)
    try:
        while board.is_open:
            board.hand_in()
            board.take(spread.timeout)
            todo.tell(board.samples)
    except BaseException:
        board.cancel()
        raise
    workers_seen = tuple(sorted(board.seen))
    scale = Scale(len(board.done), workers_seen, board.sent, board.again, board.pools)
    return _sorted([*todo.done, *board.done.values()]), scale


def workers_of(executor: Executor) -> int:
    """Workers of an executor: those of the standard library, Dask's and MPI's say."""
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
    makes: Any
    todo: Work
    cutter: Cutter
    parcel: Parcel
    workers: int
    retries: int
    done: dict[int, Chunk] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    sent: int = 0
    again: int = 0
    pools: int = 0

    def __post_init__(self) -> None:
        self.samples = self.todo.samples_done
        self._spans: list[Span] = []
        self._waiting: deque[tuple[int, bool]] = deque()
        self._out: dict[Any, int] = {}
        self._failed: dict[int, int] = {}
        self._back: SimpleQueue[Any] = SimpleQueue()

    @property
    def is_open(self) -> bool:
        return self.samples < len(self.todo.source)

    def hand_in(self) -> None:
        """Jobs for all workers; the first for each brings the models."""
        while len(self._out) < self.workers * _AT_ONCE:
            number, needs = self._next()
            if number is None:
                return
            brings = needs or self.sent < self.workers
            span = self._spans[number]
            parcel = self.parcel if brings else self.parcel.label
            job = Job(number, *span, self.todo.part(span), parcel)
            try:
                future = self.executor.submit(work, job)
            except (RuntimeError, OSError) as error:  # broken, closed, or no process can be begun
                self._broken([number], error)
                continue
            self.sent += brings
            self._out[future] = number
            future.add_done_callback(self._back.put)

    def _next(self) -> tuple[int | None, bool]:
        """A chunk that is to be handed in, and whether it has to bring the models."""
        while self._waiting:
            number, needs = self._waiting.popleft()
            if number not in self.done:
                return number, needs
        span = self.cutter.cut()
        if span is None:
            return None, False
        self._spans.append(span)
        return len(self._spans) - 1, False

    def take(self, timeout: float | None) -> None:
        """Wait for a job to come back, and take all that have."""
        if not self._out:
            return
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
            self._broken([number], error)
            return
        except (Exception, CancelledError) as error:
            self._lost(number, error)
            return
        if not isinstance(found, Done) or not found.is_of(number, self._spans[number]):
            kind = type(found).__name__
            self._lost(number, EvaluateError(f"an answer that is not this chunk's ({kind})"))
            return
        self.seen.add(found.worker)
        if found.error is not None:
            raise found.error
        if found.answers is None:
            self._waiting.appendleft((number, True))
        else:
            self._finish(number, Chunk(found.begin, found.end, found.answers), found.seconds)

    def _finish(self, number: int, chunk: Chunk, seconds: float) -> None:
        if self.todo.keep is not None:
            self.todo.keep(chunk)
        self.done[number] = chunk
        self.samples += chunk.end - chunk.begin
        self.cutter.learn(chunk.end - chunk.begin, seconds)

    def _broken(self, numbers: Sequence[int], error: BaseException) -> None:
        """All that is out is lost with the executor; another one does it, where there is one."""
        if self.makes is None:
            self._end([*numbers, *self._out.values()], error)
        lost = list(numbers)
        for future in list(self._out):  # what had come back before is not lost
            if future.done() and not future.cancelled() and future.exception() is None:
                self._take(future)
            else:
                lost.append(self._out.pop(future))
        for number in sorted(lost, reverse=True):
            self._lost(number, error, sorted(lost))
        self.executor = self.makes()
        self.pools += 1

    def _give_up_waiting(self, timeout: float | None) -> None:
        for number in sorted(self._out.values()):
            self._lost(number, TimeoutError(f"no answer in {timeout:g} s"))
        self._out.clear()

    def _lost(self, number: int, error: BaseException, others: Sequence[int] = ()) -> None:
        self._failed[number] = self._failed.get(number, 0) + 1
        if self._failed[number] > self.retries:
            self._end(others or [number], error)
        self.again += 1
        self._waiting.appendleft((number, True))

    def _end(self, numbers: Sequence[int], error: BaseException) -> NoReturn:
        which = sorted(set(numbers))
        spans = self._spans
        texts = [f"{n} (samples {spans[n][0]} to {spans[n][1] - 1})" for n in which]
        what = "chunk" if len(texts) == 1 else "one of the chunks"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise EvaluateError(
            f"the executor lost {what} {', '.join(texts)}: {reason}; "
            f"{self.samples} of {len(self.todo.source)} samples were done"
        ) from error

    def cancel(self) -> None:
        """Nothing more is to be done."""
        for future in self._out:
            future.cancel()


def in_order(chunks: Sequence[Chunk], engine: int) -> Array:
    """All samples' values of an engine."""
    return np.concatenate([one.answers.values[engine] for one in chunks if one.answers.values])
