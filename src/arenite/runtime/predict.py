"""Many samples through one interpreter: in chunks, on one thread or several.

A chunk takes about 50 ms, so that progress is seen and Ctrl-C heard; nothing but the results
is as large as the batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from operator import index as as_index
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arenite.errors import PredictError, ShapeError
from arenite.memory.arena import SingleArenaBufferAllocator
from arenite.model import Model, Tensor
from arenite.ops.context import Array
from arenite.runtime.anew import Run, each_anew, kept, starter, starts_anew
from arenite.runtime.feed import (
    Given,
    checked_samples,
    dequantized,
    first_nan,
    scale_of,
    zero_point_of,
)
from arenite.runtime.micro_interpreter import MicroInterpreter

if TYPE_CHECKING:
    from arenite.native.call import Call
    from arenite.runtime.life import Life

MAX_THREADS = 1024
_CHUNK_SECONDS = 0.05
#: How often a caller who waits for threads looks whether they live.
_LOOK_SECONDS = 0.5
#: The next chunk has at most that many times the samples of the last one.
_GROWTH = 8
#: Elements of a chunk that is converted on its way in or out.
_CONVERTED = 1 << 18


def checked_threads(threads: int) -> int:
    """A number of threads.

    Raises:
        TypeError: It is no integer.
        ValueError: It is none from 1 to 1024.
    """
    if isinstance(threads, bool | np.bool_):
        raise TypeError(f"expected a number of threads, got {threads}")
    count = as_index(threads)
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"expected threads from 1 to {MAX_THREADS}, got {threads}")
    return count


def predict(
    micro: MicroInterpreter,
    whole_call: Callable[[tuple[Array, Array] | None], Call | None],
    values: Sequence[npt.ArrayLike],
    *,
    threads: int,
    stateful: bool | None,
    quantize: bool,
    progress: Callable[[int, int], object] | None,
) -> Array | tuple[Array, ...]:
    """One inference per sample; see :meth:`Interpreter.predict`.

    ``whole_call`` gives the C call for a whole inference in the interpreter's arena, or in a
    copy of it, where nothing has to happen in Python.
    """
    threads = checked_threads(threads)
    anew = starts_anew(micro, stateful, threads)
    outputs = [micro.output(index) for index in range(len(micro.model.outputs))]
    batch = batch_of(micro.model, values, outputs, quantize=quantize)
    if anew:
        with kept(micro.life):
            finish(_chunks(micro, whole_call, batch, threads, micro.life), batch.count, progress)
    else:
        finish(_chunks(micro, whole_call, batch, threads), batch.count, progress)
    return batch.results


def _chunks(
    micro: MicroInterpreter,
    whole_call: Callable[[tuple[Array, Array] | None], Call | None],
    batch: Batch,
    threads: int,
    life: Life | None = None,
) -> Generator[int]:
    """All samples; each starts anew where there is a ``life`` to start over."""
    call = whole_call(None)
    run = one_by_one(micro) if call is None else call.predict
    if life is not None:
        run = each_anew(run, life.start_over)
    if threads == 1:
        return run_in_order(batch if call is None else in_c(batch, [call]), run)
    own = _memory(micro)
    if call is None:
        _check_copies(micro, 1)
        return run_in_parts(batch, run, threads, own)
    _check_copies(micro, min(threads, batch.count))
    copies = [_copy(own, micro.arena) for _ in range(min(threads, batch.count))]
    calls: list[Call] = []
    runs: list[Run] = []
    for copy in copies:
        if (found := whole_call((own, copy))) is not None:
            calls.append(found)
            run = found.predict
            runs.append(run if life is None else each_anew(run, starter(life, own, copy)))
    return run_on_threads(in_c(batch, calls), runs, calls)


# -- a batch -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BatchPort:
    """All samples of one input or output.

    ``shape`` is one sample's in the model, and ``dtype`` that of what runs it takes or gives.
    ``convert`` is what becomes of a chunk on its way in or out, None where nothing does, and
    ``given`` what the samples are to ``tensor``.
    """

    samples: Array
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    convert: Callable[[Array], Array] | None = None
    given: Given = Given.VALUES
    tensor: Tensor | None = None

    @property
    def is_copied(self) -> bool:
        """Whether chunks have memory of their own."""
        arranged = self.samples.flags.c_contiguous and self.samples.flags.aligned
        return self.convert is not None or not arranged or self.samples.dtype != self.dtype

    def chunk(self, begin: int, end: int) -> Array:
        """Samples to be read, as an aligned and contiguous array of the run's dtype."""
        part = self.samples[begin:end]
        if self.convert is not None:
            part = self.convert(part)
        with np.errstate(over="ignore"):  # beyond float32: saturates
            part = np.require(part, self.dtype, ("C", "A"))
        return part.reshape(len(part), *self.shape)

    def room(self, begin: int, end: int) -> Array:
        """Where samples of the run's dtype are written: the result where possible."""
        if self.convert is not None:
            return np.empty((end - begin, *self.shape), self.dtype)
        return self.samples[begin:end].reshape(end - begin, *self.shape)

    def take(self, begin: int, end: int, written: Array) -> None:
        """Convert what was written into the result, unless it is there already."""
        if self.convert is not None:
            part = self.samples[begin:end]
            part[...] = self.convert(written).reshape(part.shape)


@dataclass(frozen=True, eq=False)
class Batch:
    """A number of samples, the model's inputs and its outputs."""

    count: int
    inputs: tuple[BatchPort, ...]
    outputs: tuple[BatchPort, ...]

    @property
    def results(self) -> Array | tuple[Array, ...]:
        """The outputs of all samples."""
        arrays = tuple(port.samples for port in self.outputs)
        return arrays[0] if len(arrays) == 1 else arrays

    @property
    def largest_chunk(self) -> int:
        """The most samples at once, for the sake of memory."""
        elements = sum(
            int(np.prod(port.shape)) for port in (*self.inputs, *self.outputs) if port.is_copied
        )
        return max(1, _CONVERTED // elements) if elements else max(1, self.count)


def batch_of(
    model: Model, values: Sequence[npt.ArrayLike], outputs: Sequence[Array], *, quantize: bool
) -> Batch:
    """The samples of all inputs, checked, and room for the results.

    Args:
        model: The model.
        values: One array of samples per input.
        outputs: An array like every output.
        quantize: Whether real numbers go in and come out.

    Raises:
        DTypeError, ShapeError: An array does not fit its input, or their lengths differ.
        ValueError: There are not as many arrays as inputs.
    """
    if len(values) != len(model.inputs):
        names = [tensor.name for tensor in model.inputs]
        raise ValueError(f"expected a tuple of {len(names)} inputs {names}, got {len(values)}")
    inputs = [
        _input(value, tensor, number, quantize)
        for number, (value, tensor) in enumerate(zip(values, model.inputs, strict=True))
    ]
    lengths = {len(port.samples) for port in inputs}
    if len(lengths) != 1:
        shapes = [list(port.samples.shape) for port in inputs]
        raise ShapeError(f"expected batches of one length, got shapes {shapes}")
    count = lengths.pop()
    pairs = zip(outputs, model.outputs, strict=True)
    ports = [_output(array, tensor, count, quantize) for array, tensor in pairs]
    return Batch(count, tuple(inputs), tuple(ports))


def _input(value: npt.ArrayLike, tensor: Tensor, number: int, quantize: bool) -> BatchPort:
    samples, given = checked_samples(value, tensor, number, quantize=quantize)
    convert = None if given is Given.VALUES else lambda part: given.converted(part, tensor)
    return BatchPort(samples, tensor.shape, tensor.type.dtype, convert, given, tensor)


def _output(like: Array, tensor: Tensor, count: int, quantize: bool) -> BatchPort:
    shape = like.shape[1:] if like.shape[:1] == (1,) else like.shape
    dtype, convert, given = like.dtype, None, Given.VALUES
    if quantize and (real := dequantized(like[:0], tensor).dtype) != dtype:
        dtype, convert, given = real, lambda part: dequantized(part, tensor), Given.REALS
    samples = np.empty((count, *shape), dtype)
    return BatchPort(samples, like.shape, like.dtype, convert, given, tensor)


def in_c(batch: Batch, calls: Sequence[Call]) -> Batch:
    """The batch as C takes it, which converts the samples itself where it can."""
    inputs = [_in_c(port, number, calls, is_input=True) for number, port in enumerate(batch.inputs)]
    outputs = [
        _in_c(port, number, calls, is_input=False) for number, port in enumerate(batch.outputs)
    ]
    return Batch(batch.count, tuple(inputs), tuple(outputs))


def _in_c(port: BatchPort, number: int, calls: Sequence[Call], *, is_input: bool) -> BatchPort:
    if port.convert is None or port.tensor is None:
        return port
    from arenite.native.conversion import Ends  # noqa: PLC0415 - may be absent

    given, tensor = np.dtype(_in_c_as(port)), port.tensor
    elements = int(np.prod(port.shape))
    ends = Ends(given, port.dtype, elements, scale_of(tensor), zero_point_of(tensor))
    if not all(call.converts(number, ends, is_input=is_input) for call in calls):
        return port
    return replace(port, dtype=given, convert=None)


def _in_c_as(port: BatchPort) -> type[np.generic]:
    """What samples are to C: others than bytes and float64 are made float32 first."""
    if port.given is Given.PIXELS:
        return np.uint8
    return np.float64 if port.samples.dtype == np.float64 else np.float32


# -- running it --------------------------------------------------------------------------


def run_in_order(batch: Batch, run: Run) -> Generator[int]:
    """All samples on this thread; yields after every chunk how many were done in it.

    Raises:
        PredictError: A sample failed.
    """
    return _run_part(batch, run, range(batch.count))


def run_in_parts(batch: Batch, run: Run, threads: int, memory: Array) -> Generator[int]:
    """What :func:`run_on_threads` does, one part after the other on this thread.

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

    Yields what is done on the caller's thread, which may stop all of them by going away.
    ``calls`` are behind the runs, where a loop in the model may keep one for longer.

    Raises:
        PredictError: A sample failed: the first one that does.
        MemoryError: A thread could not even begin, or say what became of it.
    """
    parts = _parts(batch.count, len(runs))
    messages: SimpleQueue[int | None] = SimpleQueue()
    last = [len(parts)]  # parts behind it shall stop
    errors: dict[int, BaseException] = {}
    ended: list[int] = []

    def look(number: int) -> None:
        if number > last[0]:
            raise _Stopped

    for number, call in enumerate(calls):
        call.pause = partial(look, number)

    def work(number: int, run: Run, part: range) -> None:
        try:
            for done in _run_part(batch, run, part):
                messages.put(done)
                if number > last[0]:
                    break
            ended.append(number)
        except BaseException as error:  # raised again by the caller's thread
            errors[number] = error
            last[0] = min(last[0], number)
        finally:
            messages.put(None)

    workers = [
        Thread(target=work, args=(number, run, part), name=f"arenite-{number}", daemon=True)
        for number, (run, part) in enumerate(zip(runs, parts, strict=True))
    ]
    try:
        for worker in workers:
            worker.start()
        yield from _until_all_are_done(messages, workers)
    finally:
        last[0] = -1
        for worker in workers:
            if worker.ident is not None:
                worker.join()
    if errors:
        raise errors[min(errors)]
    if len(ended) < len(workers):
        raise MemoryError("predict: a thread ended without a result: there is too little memory")


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


def failed(error: Exception, index: int = 0) -> PredictError:
    """A sample's error, by what it failed with."""
    name = type(error).__name__
    return PredictError(
        f"sample {index}: {name}: {error}" if str(error) else f"sample {index}: {name}", index=index
    )


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
