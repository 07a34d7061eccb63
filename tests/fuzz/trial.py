"""What is done with one file, and what came of it, in words.

It is loaded, planned and run on random inputs: in the arena with native kernels, and by one of
the other ways to run a model. Whatever raises something else than Arenite's own errors is a
bug, and so are other outputs, but for a board's (docs/board.md).
"""

import ctypes
import os
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError
from arenite.formats import load
from arenite.model import Array, Model, Tensor, TensorType
from arenite.model.calls import calls_of
from tests.native import layouts
from tests.ops.differential import random_array

#: What is run: models of at most so many bytes in tensors, and multiplications. Others are
#: planned only: what they ask for takes its time anywhere.
RUN_BYTES, RUN_MACS = 8 << 20, 2_000_000
#: Seconds of the processor that a model with loops may take.
LOOP_SECONDS = 1.0
#: Whether a sanitizer watches.
SANITIZED = "ARENITE_SANITIZED_ENGINE" in os.environ
ALLOW = ctypes.CDLL(None)["__asan_unpoison_memory_region"] if SANITIZED else print
#: Places and sizes of forbidden bytes.
Forbidden = list[tuple[int, int]]
#: How the outcomes begin that are bugs.
BUGS = ("CRASH", "HANG", "MEMORY", "FOREIGN", "DIFFERENT")


class Runs(Protocol):
    """An interpreter of any kind."""

    def input(self, index: int = 0) -> Array: ...
    def output(self, index: int = 0) -> Array: ...
    def invoke(self) -> bool: ...
    def reset(self) -> None: ...


def heap(model: Model) -> Runs:
    interpreter = ar.HeapInterpreter(model)
    interpreter.allocate_tensors()
    return interpreter


def exact_arena(model: Model) -> Runs:
    size = ar.smallest_arena(model)
    interpreter = ar.MicroInterpreter(model, ar.AllOpsResolver(), size)
    interpreter.allocate_tensors()
    return interpreter


def linear(model: Model) -> Runs:
    return ar.Interpreter(model, planner="linear", preserve_all_tensors=True)


def native(model: Model, forbidden: Forbidden | None = None) -> ar.Interpreter:
    """The default. With a list, every tensor has its own memory between bytes that are forbidden,
    and noted there."""
    if forbidden is None:
        return ar.Interpreter(model, engine="native")
    forbid = layouts.forbid

    def noted(address: int, size: int) -> None:
        forbidden.append((address, size))
        forbid(address, size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layouts, "forbid", noted)
        layouts.lay_out(patch, layouts.apart)
        return ar.Interpreter(model, engine="native")


def reference(model: Model) -> Runs:
    return ar.Interpreter(model, engine="reference")


def cortex_m4(model: Model) -> Runs:
    return ar.Interpreter(model, target="cortex-m4")


OTHERS: tuple[Callable[[Model], Runs] | None, ...] = (
    *(None, reference, heap, exact_arena, linear, cortex_m4),
)
"""Other ways to run a model; None stands for batches on threads."""
#: Where every tensor has bytes of its own, whatever an offline plan says.
NO_PLAN = (heap, linear)


class Endless(BaseException):
    """A loop has run for long enough: TFLM would not end it either."""


@contextmanager
def an_end_of(model: Model) -> Iterator[None]:
    """Ends what takes long in a model with loops, as Ctrl-C does."""
    names = {operator.name for subgraph in model.subgraphs for operator in subgraph.operators}
    if "WHILE" not in names or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, LOOP_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def loops_over_floats(model: Model) -> bool:
    """Whether a WHILE goes on as long as the first byte of a float is not 0."""
    conditions = (
        model.subgraphs[calls_of(operator)[0]]
        for subgraph in model.subgraphs
        for operator in subgraph.operators
        if operator.name == "WHILE"
    )
    return any(
        one.tensors[index].type is TensorType.FLOAT32
        for one in conditions
        for index in one.outputs[:1]
    )


def outcome(data: bytes, seed: int) -> str:
    """What came of a file: bugs begin with one of :data:`BUGS`."""
    stage = "load"
    forbidden: Forbidden = []
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = load(data)
            stage = "allocation"
            interpreter = native(model, forbidden if SANITIZED and seed % 2 else None)
            if not small_enough(model):
                return "too large to run"
            stage = "inference"
            with an_end_of(model):
                return run(model, interpreter, seed, apart=bool(forbidden))
    except Endless:
        return "runs without end, until a signal ends it"
    except AreniteError as error:
        return f"{type(error).__name__} in {stage}"
    except Exception as error:
        return foreign(error)
    finally:
        for address, size in forbidden:  # NumPy hands small blocks on without free()
            ALLOW(ctypes.c_void_p(address), ctypes.c_size_t(size))


def run(model: Model, interpreter: ar.Interpreter, seed: int, *, apart: bool = False) -> str:
    """Run an interpreter, and the model once more in one of the other ways."""
    rng = np.random.default_rng(seed)
    feeds = [[values(tensor, rng) for tensor in model.inputs] for _ in range(2)]
    mine = results(interpreter, model, feeds)
    other = OTHERS[seed // 2 % len(OTHERS)]
    if other is None:
        interpreter.reset()
        if not model.inputs or not model.outputs:
            return "runs"
        batch = [np.stack([feed[i] for feed in feeds]) for i in range(len(model.inputs))]
        # A copy of the arena for a thread would read the forbidden bytes.
        threads = 1 if apart else 1 + seed // 12 % 2
        interpreter.predict(tuple(batch), threads=threads, stateful=threads == 1)
        return "runs"
    its = results(other(model), model, feeds)
    planned = "OfflineMemoryAllocation" in model.metadata
    if other is cortex_m4 or (planned and (apart or other in NO_PLAN)) or leaves_open(model):
        return "runs"
    if loops_over_floats(model):
        return "runs"  # as long as their last bits say, which may differ
    for first, second in zip(mine, its, strict=True):
        for index, (x, y) in enumerate(zip(first, second, strict=True)):
            if not same(x, y):
                return f"DIFFERENT output {index} of {other.__name__}"
    return "runs"


def leaves_open(model: Model) -> bool:
    """Whether outputs depend on what the arena held: a buffer that is no variable begins so."""
    return any(
        node.name == "CIRCULAR_BUFFER"
        and not all(subgraph.tensors[index].is_variable for index in node.outputs)
        for subgraph in model.subgraphs
        for node in subgraph.operators
    )


def results(interpreter: Runs, model: Model, feeds: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The outputs of an inference for each feed."""
    found = []
    for feed in feeds:
        for index, value in enumerate(feed):
            place = interpreter.input(index)
            place[...] = value.reshape(-1)[: place.size].reshape(place.shape)
        # Of an inference that ended before its end outputs hold what was there.
        count = len(model.outputs) if interpreter.invoke() else 0
        found.append([np.array(interpreter.output(i)) for i in range(count)])
    return found


def same(x: Array, y: Array) -> bool:
    """Integers bit for bit; reals roughly, where they are small enough to be summed."""
    if x.dtype != y.dtype or x.size != y.size:
        return False
    if x.dtype.kind != "f":
        return bool((x.reshape(-1) == y.reshape(-1)).all())
    x, y = x.reshape(-1).astype(np.float64), y.reshape(-1).astype(np.float64)
    limit = float(np.abs(y).max(initial=0.0))
    if not np.isfinite(limit) or limit > 1e30:
        return True
    return bool((np.abs(x - y) <= 1e-3 * limit + 1e-6).all())


def values(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Random values for an input; of large integers, half are small, as indices are."""
    if tensor.type.dtype.kind not in "iufb" or tensor.type is TensorType.FLOAT16:
        return np.zeros(tensor.shape, tensor.type.dtype)
    if tensor.type.bits != 8 * tensor.type.dtype.itemsize:
        return np.zeros(tensor.nbytes, tensor.type.dtype)
    if tensor.type.bits >= 32 and tensor.type.dtype.kind in "iu" and rng.random() < 0.5:
        return rng.integers(0, 4, tensor.shape).astype(tensor.type.dtype)
    if tensor.type.dtype.kind == "f" and tensor.type is not TensorType.FLOAT32:
        return rng.normal(0, 2, tensor.shape).astype(tensor.type.dtype)
    return random_array(tensor, rng)


def small_enough(model: Model) -> bool:
    """Whether running the model takes little time and memory, by a rough guess."""
    size = macs = 0
    for subgraph in model.subgraphs:
        size += sum(abs(tensor.nbytes) for tensor in subgraph.tensors)
        for operator in subgraph.operators:
            macs += _products(subgraph.tensors, operator.inputs, operator.outputs)
    return size <= RUN_BYTES and macs <= RUN_MACS


def _products(tensors: Sequence[Tensor], inputs: Sequence[int], outputs: Sequence[int]) -> int:
    """Outputs times the most that can be summed for each of them."""
    read = [tensors[i] for i in inputs if i >= 0]
    sums = max((abs(prod(t.shape)) // max(t.shape[0], 1) for t in read if t.shape), default=1)
    sums = min(sums, max((abs(prod(t.shape[1:])) for t in read[1:2]), default=1))
    return sum(abs(tensors[i].size) for i in outputs) * max(sums, 1)


def foreign(error: Exception) -> str:
    """The place in Arenite where an exception that is not its own comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "arenite" in Path(frame.filename).parts]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"FOREIGN {type(error).__name__} at {where}"
