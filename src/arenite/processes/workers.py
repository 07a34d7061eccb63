"""A pool of children as an executor: ``concurrent.futures`` without ``multiprocessing``.

That starts processes of its own in the current folder, and imports what lies there.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from arenite.processes.children import EndedError, Service, how_it_ended
from arenite.processes.inside import serve

#: Seconds that all workers together have for ending by themselves after Ctrl-C.
_GRACE = 1.0
_Job = tuple["Future[Any]", tuple[Any, ...]]


class Workers(Executor):
    """Children that do what they are given; where one of them ends, the whole pool is broken.

    Args:
        count: How many there are.
    """

    def __init__(self, count: int) -> None:
        self._max_workers = count
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = Lock()
        self._broken = ""
        self._services = [
            Service("arenite.processes.workers", pack=pickle.dumps) for _ in range(count)
        ]
        self._threads = [
            Thread(target=self._work, args=(service,), daemon=True) for service in self._services
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_broken(self) -> bool:
        """Whether a worker has ended: nothing more is done."""
        return bool(self._broken)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function in a worker; it and its arguments are pickled, its result is a message.

        Raises:
            BrokenExecutor: A worker has ended.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self._broken:
                raise BrokenExecutor(self._broken)
            self._jobs.put((future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers when what was submitted is done."""
        if cancel_futures:
            self._refuse("the pool was shut down")
        for _ in self._threads:
            self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def stop(self) -> None:
        """End all workers at once, whatever they do."""
        for service in self._services:
            service.stop()
        for _ in self._threads:
            self._jobs.put(None)
        end = time.monotonic() + _GRACE
        for service in self._services:
            service.wait(max(0.0, end - time.monotonic()))

    def _work(self, service: Service) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                answer = service.ask(call)
            except EndedError as error:
                self._refuse(f"a worker {how_it_ended(error.code)}")
                future.set_exception(BrokenExecutor(self._broken))
                return
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(answer)
        service.finish()

    def _refuse(self, why: str) -> None:
        with self._lock:
            self._broken = self._broken or why
            waiting = list(self._waiting())
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(BrokenExecutor(self._broken))

    def _waiting(self) -> Iterator[Future[Any]]:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            if job is not None:
                yield job[0]


@contextmanager
def worker_pool(count: int) -> Iterator[Workers]:
    """Workers that are gone at the end: when all is done, or at once after an error or Ctrl-C."""
    workers = Workers(count)
    try:
        yield workers
    except BaseException:
        workers.stop()
        raise
    if workers.is_broken:
        workers.stop()
    workers.shutdown()


# -- in a worker -------------------------------------------------------------------------


def main(_: list[str]) -> int:
    """Call what is asked for until nothing is."""
    serve(lambda: _called, read=pickle.loads)
    return 0


def _called(question: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]) -> Any:
    function, arguments, named = question
    return function(*arguments, **named)
