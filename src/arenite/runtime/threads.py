"""The number of threads that a caller may ask for."""

from __future__ import annotations

from operator import index as as_index

import numpy as np

from arenite.options import refuse

MAX_THREADS = 1024


def checked_threads(threads: int) -> int:
    """A number of threads.

    Raises:
        TypeError: It is no integer.
        ValueError: It is none from 1 to 1024.
    """
    if isinstance(threads, bool | np.bool_):
        raise TypeError(f"expected a number of threads, got {threads}")
    try:
        count = as_index(threads)
    except TypeError:
        refuse("threads", "an integer", threads)
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"expected threads from 1 to {MAX_THREADS}, got {threads}")
    return count
