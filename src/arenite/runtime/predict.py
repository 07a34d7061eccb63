"""Many samples through one interpreter: in chunks, on one thread or several.

A chunk takes about 50 ms, so that progress is seen and Ctrl-C heard; nothing but the results
is as large as the batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arenite.errors import PredictError
from arenite.memory.arena import SingleArenaBufferAllocator
from arenite.ops.context import Array
from arenite.runtime.batch import Batch, BatchPort, batch_of, in_c
from arenite.runtime.independent_samples import (
    Run,
    beginning_anew,
    each_anew,
    kept,
    reset_by_themselves,
    starts_anew,
    states_in,
)
from arenite.runtime.io_conversion import Given, Outputs, first_nan
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.threads import checked_threads
from arenite.runtime.whole_call import failed, whole_call

if TYPE_CHECKING:
    from arenite.native.call import Call
    from arenite.runtime.batched_rows import SideBySide
    from arenite.runtime.lifecycle import Life

_CHUNK_SECONDS = 0.05
#: How often a caller who waits for threads looks whether they live.
_LOOK_SECONDS = 0.5
#: The next chunk has at most that many times the samples of the last one.
_GROWTH = 8


def predict(
    micro: MicroInterpreter,
    values: Sequence[npt.ArrayLike],
    *,
    threads: int,
    stateful: bool | None,
    quantize: bool,
    progress: Callable[[int, int], object] | None,
) -> Outputs:
    """One inference per sample; see :meth:`Interpreter.predict`."""
    threads = checked_threads(threads)
    anew = starts_anew(micro, stateful, threads)
    outputs = [micro.output(index) for index in range(len(micro.model.outputs))]
    batch = batch_of(micro.model, values, outputs, quantize=quantize)
    if anew:
        with kept(micro.life), beginning_anew(micro.life):
            finish(_chunks(micro, batch, threads, micro.life), batch.count, progress)
    else:
        finish(_chunks(micro, batch, threads), batch.count, progress)
    return batch.results


def _chunks(
    micro: MicroInterpreter,
    batch: Batch,
    threads: int,
    life: Life | None = None,
) -> Generator[int]:
    """All samples; each starts anew where there is a ``life`` to start over."""
    # C copies states, and calls no function in Python by which a user's kernel forgets its own.
    needs_python = life is not None and not reset_by_themselves(life)
    call = None if needs_python else whole_call(micro)
    own = _memory(micro)
    if call is None:
        run = one_by_one(micro)
        if life is not None:
            run = each_anew(run, life.start_over)
        if threads == 1:
            return run_in_order(batch, run)
        _check_copies(micro, 1)
        return run_in_parts(batch, run, threads, own)
    copied = min(threads, batch.count) if threads > 1 else 0
    several = _side_by_side(micro, batch.count // threads, copied)
    if threads == 1:
        if life is not None:
            call.starts_over(states_in(life, own, own))
        whole = call if several is None else several.call(call, micro.turn)
        return run_in_order(in_c(batch, [whole]), whole.predict)
    _check_copies(micro, copied)
    copies = [_copy(own, micro.arena) for _ in range(copied)]
    calls: list[Call] = []
    for copy in copies:
        if (found := whole_call(micro, (own, copy))) is not None:
            calls.append(found)
            if life is not None:
                found.starts_over(states_in(life, own, copy))
    runs = [one if several is None else several.call_in_copy(one, micro.turn) for one in calls]
    return run_on_threads(in_c(batch, runs), [run.predict for run in runs], calls)


def _side_by_side(micro: MicroInterpreter, samples: int, copies: int) -> SideBySide | None:
    """Engine for several of a thread's samples at once, where there is room and it pays."""
    from arenite.runtime.batched_rows import FEWEST  # noqa: PLC0415 - may be absent

    if micro.compiled is None or samples < FEWEST:
        return None
    found = micro.compiled.side_by_side(micro.arena.view(0, micro.arena.head_used))
    return found if found is not None and found.has_room(copies) else None


# -- running it --------------------------------------------------------------------------


def run_in_order(batch: Batch, run: Run) -> Generator[int]:
    """All samples on this thread; yields after every chunk how many were done in it.

    Raises:
        PredictError: A sample failed.
    """
    return _run_part(batch, run, range(batch.count))


def run_in_parts(batch: Batch, run: Run, threads: int, memory: Array) -> Generator[int]:
    """Do as :func:`run_on_threads`, one part after the other on this thread.

    Every part starts from ``memory`` as it is now, and so does whatever comes behind.

    Raises:
        PredictError: A sample failed.
    """
    before = memory.copy()
    try:
        for part in _parts(batch.count, threads):
            np.copyto(memory, before)
            yield from _run_part(batch, run, part)
    finally:
        np.copyto(memory, before)


class _Stopped(BaseException):
    """Ends a loop on a thread whose results nobody wants any more."""


def run_on_threads(batch: Batch, runs: Sequence[Run], calls: Sequence[Call] = ()) -> Generator[int]:
    """One part of the samples per ``run``, on a thread each.

    Where the system has no thread for a part, the caller's thread computes it. Yields what is
    done on the caller's thread, which may stop all of them by going away. ``calls`` are behind
    the runs, where a loop in the model may keep one for longer.

    Raises:
        PredictError: A sample failed: the first one that does.
        MemoryError: A thread could not even begin, or say what became of it.
    """
    parts = _Parts(batch, runs)
    messages: SimpleQueue[int | None] = SimpleQueue()
    for number, call in enumerate(calls):
        call.pause = partial(parts.look, number)

    def work(number: int) -> None:
        try:
            for done in parts.run(number):
                messages.put(done)
        except BaseException as error:  # raised again by the caller's thread
            parts.fail(number, error)
        finally:
            messages.put(None)

    workers = [
        Thread(target=work, args=(number,), name=f"arenite-{number}", daemon=True)
        for number in range(len(runs))
    ]
    try:
        started = _started(workers)
        for number in range(started, len(workers)):
            yield from parts.run_here(number)
        yield from _until_all_are_done(messages, workers[:started])
    finally:
        parts.stop()
        for worker in workers:
            if worker.ident is not None:
                worker.join()
    parts.finish()


class _Parts:
    """The parts of a batch, and how each ended; ``last`` is the last one that anybody wants."""

    def __init__(self, batch: Batch, runs: Sequence[Run]) -> None:
        self._batch, self._runs = batch, runs
        self._parts = _parts(batch.count, len(runs))
        self._last = len(runs)
        self._errors: dict[int, BaseException] = {}
        self._ended: list[int] = []

    def look(self, number: int) -> None:
        """End a part's inference if nobody wants the part any more."""
        if number > self._last:
            raise _Stopped

    def run(self, number: int) -> Iterator[int]:
        """A part, chunk by chunk."""
        for done in _run_part(self._batch, self._runs[number], self._parts[number]):
            yield done
            if number > self._last:
                break
        self._ended.append(number)

    def run_here(self, number: int) -> Iterator[int]:
        """A part on the caller's thread, where Ctrl-C ends all of them."""
        try:
            yield from self.run(number)
        except (Exception, _Stopped) as error:
            self.fail(number, error)

    def fail(self, number: int, error: BaseException) -> None:
        """A part failed: those behind it stop, those before it may fail earlier."""
        self._errors[number] = error
        self._last = min(self._last, number)

    def stop(self) -> None:
        """Stop all of them."""
        self._last = -1

    def finish(self) -> None:
        """Raise the first error, if there was any."""
        if self._errors:
            raise self._errors[min(self._errors)]
        if len(self._ended) < len(self._parts):
            raise MemoryError(
                "predict: a thread ended without a result: there is too little memory"
            )


def _started(workers: Sequence[Thread]) -> int:
    """The number of threads that began, from the first on; some systems have none."""
    for number, worker in enumerate(workers):
        try:
            worker.start()
        except RuntimeError:
            return number
    return len(workers)


def _until_all_are_done(
    messages: SimpleQueue[int | None], workers: Sequence[Thread]
) -> Iterator[int]:
    running = len(workers)
    while running:
        try:
            message = messages.get(timeout=_LOOK_SECONDS)
        except Empty:
            # One that had no memory to begin with says nothing.
            if any(worker.is_alive() for worker in workers):
                continue
            return
        if message is None:
            running -= 1
        else:
            yield message


def _run_part(batch: Batch, run: Run, part: range) -> Generator[int]:
    begin, size, largest = part.start, 1, batch.largest_chunk
    while begin < part.stop:
        end = min(begin + size, part.stop)
        start = time.perf_counter()
        _run_chunk(batch, run, begin, end)
        seconds = time.perf_counter() - start
        yield end - begin
        wanted = (end - begin) * min(_GROWTH, _CHUNK_SECONDS / max(seconds, 1e-9))
        begin, size = end, min(max(1, int(wanted)), largest)


def _run_chunk(batch: Batch, run: Run, begin: int, end: int) -> None:
    for port in batch.inputs:
        if port.convert is not None:
            _refuse_nan(port, begin, end)
    inputs = [port.chunk(begin, end) for port in batch.inputs]
    outputs = [port.room(begin, end) for port in batch.outputs]
    done, error = run(inputs, outputs)
    if error is not None:
        raise failed(error, begin + done) from error
    if done < end - begin:
        for port in batch.inputs:
            _refuse_nan(port, begin + done, end)
    for port, written in zip(batch.outputs, outputs, strict=True):
        port.take(begin, end, written)


def _refuse_nan(port: BatchPort, begin: int, end: int) -> None:
    """Refuse real numbers among which one is NaN."""
    if port.given is Given.REALS and (place := first_nan(port.samples[begin:end])) is not None:
        index = begin + place[0]
        message = f"sample {index}: expected numbers to quantise, got NaN at {place[1:]}"
        raise PredictError(message, index=index)


def _parts(count: int, threads: int) -> list[range]:
    """``range(count)`` in as many pieces, or in ``count`` ones; the longer ones come first."""
    pieces = min(count, threads)
    bounds = [-(-count * number // pieces) for number in range(pieces + 1)] if pieces else []
    return [range(begin, end) for begin, end in pairwise(bounds)]


def finish(
    chunks: Generator[int], total: int, progress: Callable[[int, int], object] | None
) -> None:
    """Run all chunks, and report after each how many samples are done."""
    done = 0
    with closing(chunks):
        for samples in chunks:
            done += samples
            if progress is not None:
                progress(done, total)


def one_by_one(micro: MicroInterpreter) -> Run:
    """Runs samples as :meth:`MicroInterpreter.invoke` does, Python operators and all."""

    def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[int, Exception | None]:
        for number in range(len(inputs[0])):
            try:
                for index, samples in enumerate(inputs):
                    micro.input(index)[...] = samples[number]
                micro.invoke_in_turn()
                for index, results in enumerate(outputs):
                    results[number] = micro.output(index)
            except Exception as error:
                return number, error
        return len(inputs[0]), None

    return run


def _check_copies(micro: MicroInterpreter, copies: int) -> None:
    """Refuse more copies of the arena and of the kernels' workspace than there may be."""
    workspace = 0 if micro.compiled is None else micro.compiled.workspace_bytes
    size = copies * (micro.arena.used + workspace)
    micro.arena.budget.check(size, f"{copies} copies of the arena, one for a thread,")


def _memory(micro: MicroInterpreter) -> Array:
    return micro.arena.view(0, micro.arena.size)


def _copy(own: Array, arena: SingleArenaBufferAllocator) -> Array:
    """A copy of an arena, at the same distance from a multiple of 64, for another thread.

    Bytes between head and tail are not copied, so that a large arena costs no memory.
    """
    size = own.nbytes
    block = np.empty(size + 64, np.uint8)
    start = (_address(own) - _address(block)) % 64
    copy = block[start : start + size]
    for used in (slice(arena.head_used), slice(size - arena.tail_used, None)):
        copy[used] = own[used]
    return copy


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
