"""From counts to costs: which loop every instruction belongs to, and what a pass of a loop takes.

An instruction that ran as often as a loop did, in every layer, is the loop's. What ran in between,
because it depends on data or on alignment, is shared out by non-negative least squares among the
loops of its function; of a function that no loop is named after, among the glue of each kernel, and
of the compiler's own functions among all loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
#: A C function and what one pass does, as in ``steps.csv``.
Key = tuple[str, str]


class Pass(NamedTuple):
    """What one pass takes."""

    instructions: float
    cycles: float


class Sample(NamedTuple):
    """One layer: its kernel, passes of its loops, and by instruction how often it ran and took."""

    kernel: str
    loops: Mapping[Key, int]
    times: Mapping[int, int]
    cycles: Mapping[int, float]

    @property
    def instructions(self) -> int:
        """All that ran."""
        return sum(self.times.values())

    def estimated(self, costs: Mapping[Key, Pass], field: str = "instructions") -> float:
        """Sum of what all passes take."""
        return sum(n * getattr(costs[key], field) for key, n in self.loops.items())


def fit(samples: Sequence[Sample], symbols: Mapping[int, str]) -> dict[Key, Pass]:
    """What one pass of every loop takes; ``symbols`` are the functions of the instructions."""
    keys = list(dict.fromkeys(key for sample in samples for key in sample.loops))
    passes = np.array([[one.loops.get(key, 0) for key in keys] for one in samples], np.float64)
    weights = np.array([one.instructions for one in samples]) ** -0.5
    kernels = np.array([one.kernel for one in samples])
    totals, functions = np.zeros((len(keys), 2)), {*symbols.values()}
    # What is shared out among the same loops is, all at once: branches that exclude each other add
    # up to what hardly depends on data.
    pooled = defaultdict[tuple[bytes, bytes], Array](lambda: np.zeros((2, len(samples))))
    for (function, shape), ran in _groups(samples, symbols).items():
        times = np.frombuffer(shape)
        choices = _choices(function, times, keys, passes, kernels=kernels, functions=functions)
        for rows, columns in choices:
            pooled[rows.tobytes(), columns.tobytes()] += ran
    for choice, ran in pooled.items():
        rows, columns = (np.frombuffer(one, np.intp) for one in choice)
        for index, values in enumerate(ran):
            table = passes[np.ix_(rows, columns)]
            totals[columns, index] += shares(table, values[rows], weights[rows])
    return {key: Pass(*map(float, total)) for key, total in zip(keys, totals, strict=True)}


def _groups(
    samples: Sequence[Sample], symbols: Mapping[int, str]
) -> dict[tuple[str, bytes], Array]:
    """By function, and how often they ran in each layer: instructions, and the cycles they took."""
    rows = defaultdict[int, list[tuple[int, int, float]]](list)
    for number, sample in enumerate(samples):
        for address, times in sample.times.items():
            rows[address].append((number, times, sample.cycles[address]))
    found = defaultdict[tuple[str, bytes], Array](lambda: np.zeros((2, len(samples))))
    for address, row in rows.items():
        numbers, *ran = np.array(row).T
        vectors = np.zeros((2, len(samples)))
        vectors[:, numbers.astype(np.intp)] = ran
        found[symbols[address], vectors[0].tobytes()] += vectors
    return found


def _choices(
    function: str,
    times: Array,
    keys: Sequence[Key],
    passes: Array,
    *,
    kernels: npt.NDArray[np.str_],
    functions: set[str],
) -> Iterator[tuple[Indices, Indices]]:
    """Among which loops (columns) instructions are shared out, and by which layers (rows)."""
    everywhere = np.arange(len(kernels))
    own = np.array([key[0].split(",")[0] == function for key in keys])
    glue = np.array([key[0].split(",")[0] not in functions for key in keys])
    same = (passes == times[:, None]).all(0)
    exact = [np.flatnonzero(same & some)[:1] for some in (own, glue, ~own & ~glue)]
    found = next((columns for columns in exact if columns.size), np.flatnonzero(own))
    # What loops of other functions call as well, and the compiler's own: products of 64 bits.
    elsewhere = times[~passes[:, own].any(1)]
    is_shared = (own.any() and elsewhere.any()) or function.startswith("__")
    if found.size or is_shared:
        yield everywhere, np.arange(len(keys)) if is_shared else found
        return
    for kernel in sorted({*kernels[times > 0]}):
        rows = np.flatnonzero(kernels == kernel)
        near = passes[rows].any(0)
        exact = np.flatnonzero(near & (passes[rows] == times[rows, None]).all(0))[:1]
        yield rows, exact if exact.size else np.flatnonzero(near & glue)


def shares(table: Array, values: Array, weights: Array) -> Array:
    """What each column takes, none less than nothing, with the least squares of weighted errors."""
    scaled = table * weights[:, None]
    norms = np.linalg.norm(scaled, axis=0)
    norms[norms == 0] = 1
    return np.asarray(nnls(scaled / norms, values * weights)[0] / norms)


def errors(
    samples: Iterable[Sample], costs: Mapping[Key, Pass], field: str = "instructions"
) -> dict[str, tuple[float, float, int]]:
    """By kernel the median and the worst error in percent, and how many layers."""
    found = defaultdict[str, list[float]](list)
    for sample in samples:
        ran = sum((sample.cycles if field == "cycles" else sample.times).values())
        found[sample.kernel].append(100 * abs(sample.estimated(costs, field) / ran - 1))
    return {
        kernel: (float(np.median(off)), max(off), len(off)) for kernel, off in sorted(found.items())
    }
