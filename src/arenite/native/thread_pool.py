"""Threads that share the steps of a program, see ``thread_pool.h``."""

from __future__ import annotations

from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from arenite.native.engine import ffi, lib

#: Steps of at least twice as many products of int8, which take some microseconds, are divided...
#: With four times as many, a second thread costs MobileNetV1 0.25 an eighth instead of gaining a
#: fifth; with a sixteenth, it costs a keyword model of 16 us a fifth instead of nothing.
LEAST_WORK = 1 << 18
#: ...into more parts than there are threads: who is ready first takes more of them.
PARTS_PER_THREAD = 2


def parts_of(work: int, threads: int) -> int:
    """Into how many parts so many threads divide a step: 1 where that takes longer than it saves.

    Args:
        work: About as many products of int8 as the step takes the time of.
        threads: The caller's among them.
    """
    if threads == 1:
        return 1
    return max(1, min(work // LEAST_WORK, PARTS_PER_THREAD * threads, int(lib.AR_MOST_PARTS)))


class Team:
    """A pool of threads, one of them the caller's, each with ``workspace`` bytes (64 n).

    They begin with the first inference and end with this object, or at exit, before Python does.
    """

    def __init__(self, threads: int, workspace: int, memory: npt.NDArray[np.uint8]) -> None:
        #: ``ar_team *``, in ``memory``, aligned to 64, as much as :meth:`nbytes` says.
        self.pointer: Any = ffi.cast("ar_team *", ffi.from_buffer(memory))
        self._memory = memory
        lib.ar_team_make(self.pointer, threads, workspace)
        #: End the threads: the caller's runs all steps from now on.
        self.end = finalize(self, _end, self.pointer, memory)

    @staticmethod
    def nbytes(threads: int) -> int:
        """The memory that a team takes."""
        return int(lib.ar_team_bytes(threads))

    @property
    def size(self) -> int:
        """The number of threads now, the caller's among them."""
        return int(lib.ar_team_size(self.pointer))


def _end(team: Any, _memory: npt.NDArray[np.uint8]) -> None:
    """End a team's threads, in memory that has to be there until they have ended."""
    lib.ar_team_end(team)
