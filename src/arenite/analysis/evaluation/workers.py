"""Jobs in a worker of an executor: one comes, and all that it needs is there already.

A model travels as bytes, with the first jobs; it is unpickled once per worker (once per thread of
it that works at the same time) and found by its digest from then on. A worker that has none says
so, and gets the job once more with the bytes.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

from arenite.analysis.evaluation.bench import Answers, Bench
from arenite.analysis.evaluation.samples import Source

#: So many different things are kept.
_MOST = 4


@dataclass(frozen=True)
class Parcel:
    """Something pickled: its digest, and its bytes unless the worker should have them."""

    digest: str
    content: bytes | None

    @property
    def label(self) -> Parcel:
        """The same without content."""
        return Parcel(self.digest, None)


def packed(thing: object) -> Parcel:
    """Pickle something.

    Raises:
        TypeError, pickle.PicklingError: It cannot be pickled.
    """
    content = pickle.dumps(thing, protocol=5)
    return Parcel(hashlib.sha256(content).hexdigest(), content)


@dataclass
class _Kept:
    content: bytes
    free: list[Any] = field(default_factory=list)


_kept: OrderedDict[str, _Kept] = OrderedDict()
_lock = Lock()


@contextmanager
def unpacked(parcel: Parcel) -> Iterator[Any]:
    """Contents of a parcel, for one caller at a time; None where they are not here."""
    with _lock:
        kept = _kept.get(parcel.digest)
        if kept is None and parcel.content is not None:
            kept = _kept[parcel.digest] = _Kept(parcel.content)
            while len(_kept) > _MOST:
                _kept.popitem(last=False)
        thing = kept.free.pop() if kept is not None and kept.free else None
    if kept is None:
        yield None
        return
    if thing is None:
        thing = pickle.loads(kept.content)  # of the caller's own making
    try:
        yield thing
    finally:
        with _lock:
            kept.free.append(thing)


@dataclass(frozen=True)
class Job:
    """Samples from ``begin`` to ``end``, and who is to be asked about them."""

    number: int
    begin: int
    end: int
    source: Source
    bench: Parcel


@dataclass(frozen=True, eq=False)
class Done:
    """Outcome of a job.

    ``answers`` and ``error`` are None where the worker lacks the bench. An error is that of a
    sample; what is raised instead is the executor's. ``seconds`` is what the worker took.
    """

    number: int
    begin: int
    end: int
    worker: str
    answers: Answers | None = None
    error: Exception | None = None
    seconds: float = 0.0

    def is_of(self, number: int, span: tuple[int, int]) -> bool:
        """Whether this is that chunk's."""
        return (self.number, self.begin, self.end) == (number, *span)


def work(job: Job) -> Done:
    """Do a job; runs in a worker."""
    done = partial(Done, job.number, job.begin, job.end, f"{socket.gethostname()}:{os.getpid()}")
    with unpacked(job.bench) as bench:
        if bench is None:
            return done()
        assert isinstance(bench, Bench)
        try:
            start = time.perf_counter()
            answers = bench.answers(job.source)
            return done(answers, None, time.perf_counter() - start)
        except Exception as error:  # raised again by whoever evaluates
            return done(None, error)
