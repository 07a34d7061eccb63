"""Samples that are no sequence: each starts with the state of a new interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from arenite.ops.context import Array
from arenite.ops.registry import is_arenites
from arenite.runtime.lifecycle import Life
from arenite.runtime.micro_interpreter import MicroInterpreter

Run = Callable[[Sequence[Array], Sequence[Array]], tuple[int, Exception | None]]
"""``run(inputs, outputs)`` takes as many samples as the arrays have: ``(done, error)``.

Without an error it did not take all of them because the next one has a NaN to quantise.
"""


def starts_anew(micro: MicroInterpreter, stateful: bool | None, threads: int) -> bool:
    """Whether every sample is to start anew."""
    if not micro.is_stateful:
        return False
    if stateful is None:
        raise ValueError(
            "the model has state, which inferences change: expected stateful=True (the samples "
            "are one sequence) or stateful=False (each starts as in a new interpreter)"
        )
    if stateful and threads > 1:
        raise ValueError(f"stateful=True: expected threads=1 for a sequence, got {threads}")
    return not stateful


@contextmanager
def kept(life: Life) -> Iterator[None]:
    """State is in the end what it was before."""
    memory = life.graph.host.state_memory()
    before = [one.copy() for one in memory]
    try:
        yield
    finally:
        for one, old in zip(memory, before, strict=True):
            one[...] = old


def reset_by_themselves(life: Life) -> bool:
    """Whether nobody has to call the ``reset`` of a user's kernel before each sample.

    A node of the main subgraph runs once in an inference, and can begin with it.
    """
    return all(number == 0 and begins is not None for number, _, begins in _own_resets(life))


@contextmanager
def beginning_anew(life: Life) -> Iterator[None]:
    """Users' kernels that can begin every inference with their ``reset`` do so."""
    found = [(data, begins) for _, data, begins in _own_resets(life) if begins is not None]
    for data, begins in found:
        begins(data, True)
    try:
        yield
    finally:
        for data, begins in found:
            begins(data, False)


def _own_resets(life: Life) -> Iterator[tuple[int, Any, Callable[[Any, bool], None] | None]]:
    """Nodes with a ``reset`` of a user's: subgraph, user data, and what lets them begin anew."""
    for number, entries in enumerate(life.graph.nodes):
        for entry in entries:
            registration = entry.registration
            if registration.reset is None or is_arenites(registration.reset):
                continue
            native = registration.native
            begins = None if native is None else native.begins_anew
            yield number, entry.node.user_data, begins


def each_anew(run: Run, start_over: Callable[[], None]) -> Run:
    """Runs samples one by one, each from the beginning."""

    def run_anew(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[int, Exception | None]:
        count = len(inputs[0]) if inputs else len(outputs[0])
        for number in range(count):
            start_over()
            one = slice(number, number + 1)
            done, error = run([x[one] for x in inputs], [y[one] for y in outputs])
            if error is not None or not done:
                return number, error
        return count, None

    return run_anew


def states_in(life: Life, own: Array, copy: Array) -> list[tuple[Array, Array]]:
    """All state where it is in a copy of the arena, and what it held when the life began."""
    pairs = []
    for one, fresh in zip(life.graph.host.state_memory(), life.fresh, strict=True):
        start = one.ctypes.data - own.ctypes.data
        pairs.append((copy[start : start + one.nbytes], fresh))
    return pairs
