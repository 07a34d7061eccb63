"""One interpreter, several threads: one caller at a time, the others get an error at once."""

import gc
import signal
import subprocess
import sys
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import StateError
from arenite.ops.context import Context, Node
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.runtime.models import conv_model, copy, custom_chain, image, resolver_with
from tests.variants import interpreter, variants

X = np.arange(16, dtype=np.int8)


class Gate:
    """A custom operator that says when it runs and waits until it may go on."""

    def __init__(self) -> None:
        self.entered, self.opened = Event(), Event()
        self.waits = False

    def invoke(self, context: Context, node: Node) -> None:
        if self.waits:
            self.entered.set()
            assert self.opened.wait(10)
        copy(context, node)


def while_it_runs(gate: Gate, run: Callable[[], object], meanwhile: Callable[[], None]) -> None:
    """Call ``meanwhile`` while another thread is in the middle of ``run``."""
    gate.waits = True
    other = Thread(target=run)
    other.start()
    try:
        assert gate.entered.wait(10)
        meanwhile()
    finally:
        gate.waits = False
        gate.opened.set()
        other.join()


FRIENDLY: dict[str, Callable[[ar.Interpreter], object]] = {
    "call": lambda interp: interp(X),
    "invoke": lambda interp: interp.invoke(),
    "reset": lambda interp: interp.reset(),
    "predict": lambda interp: interp.predict(X[None]),
}


@pytest.mark.parametrize("first", ["call", "invoke", "predict"])
@pytest.mark.parametrize("second", FRIENDLY)
def test_the_second_of_two_callers_is_refused_and_the_first_is_not(first: str, second: str) -> None:
    gate = Gate()
    interp = ar.Interpreter(custom_chain(), resolver=resolver_with(invoke=gate.invoke))

    def meanwhile() -> None:
        with pytest.raises(StateError, match=r"in use, by a call on another thread .* copy"):
            FRIENDLY[second](interp)

    while_it_runs(gate, lambda: FRIENDLY[first](interp), meanwhile)
    np.testing.assert_array_equal(interp(X), X)


def test_a_kernel_cannot_run_the_interpreter_that_runs_it() -> None:
    def invoke(context: Context, node: Node) -> None:
        with pytest.raises(StateError, match="in use"):
            interp.invoke()
        copy(context, node)

    interp = ar.Interpreter(custom_chain(), resolver=resolver_with(invoke=invoke))
    np.testing.assert_array_equal(interp(X), X)


def test_interpreters_that_share_an_arena_share_the_turn() -> None:
    gate = Gate()
    one = MicroInterpreter(custom_chain(), resolver_with(invoke=gate.invoke), 1 << 14)
    one.allocate_tensors()
    other = MicroInterpreter(custom_chain(), resolver_with(), allocator=one._base.allocator)
    other.allocate_tensors()

    def meanwhile() -> None:
        with pytest.raises(StateError, match="in use"):
            other.invoke()

    while_it_runs(gate, one.invoke, meanwhile)
    other.invoke()


def test_the_heap_interpreter_takes_turns_too() -> None:
    gate = Gate()
    heap = HeapInterpreter(custom_chain(), resolver_with(invoke=gate.invoke))
    heap.allocate_tensors()

    def meanwhile() -> None:
        for call in (heap.invoke, heap.reset, heap.allocate_tensors):
            with pytest.raises(StateError, match="in use"):
                call()

    while_it_runs(gate, heap.invoke, meanwhile)
    heap.invoke()


def test_an_error_ends_a_turn() -> None:
    def invoke(context: Context, node: Node) -> None:
        if next(calls) == 0:
            raise ValueError("once")
        copy(context, node)

    calls = iter(range(9))
    interp = ar.Interpreter(custom_chain(), resolver=resolver_with(invoke=invoke))
    with pytest.raises(ValueError, match="once"):
        interp(X)
    np.testing.assert_array_equal(interp(X), X)


@pytest.mark.parametrize("variant", variants())
def test_no_result_of_two_threads_is_wrong(variant: str) -> None:
    interp = interpreter(conv_model(), variant)
    images = [image(seed) for seed in range(2)]
    expected = [interp(one) for one in images]
    wrong, refused = [0, 0], [0, 0]
    start = Event()

    def work(number: int) -> None:
        start.wait()
        for _ in range(300):
            try:
                got = interp(images[number])
            except StateError:
                refused[number] += 1
                continue
            wrong[number] += not np.array_equal(got, expected[number])

    threads = [Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    start.set()
    for thread in threads:
        thread.join()
    assert wrong == [0, 0]
    assert min(refused) < 300
    np.testing.assert_array_equal(interp(images[0]), expected[0])


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no SIGALRM")
@pytest.mark.parametrize("variant", variants()[:2])
def test_a_signal_at_any_moment_leaves_the_interpreter_usable(variant: str) -> None:
    interp = interpreter(conv_model(), variant)
    x = image()
    expected = interp(x)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    rng = np.random.default_rng(0)
    gc.disable()  # hypothesis is told of every collection, and exceptions in there are lost
    try:
        for _ in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(1e-5, 5e-4)))
                for _ in range(50):
                    interp(x)
                    interp.invoke()
            except KeyboardInterrupt:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    np.testing.assert_array_equal(interp(x), expected)


OUT_OF_MEMORY = """
import sys
import _testcapi
import numpy as np
import arenite as ar
from tests.runtime.models import conv_model, image

interpreter = ar.Interpreter(conv_model())
x = image()
calls = [lambda: interpreter(x), interpreter.invoke]
if sys.version_info < (3, 13):  # whose own generator expressions end the process without memory
    calls.append(interpreter.reset)
for call in calls:
    for start in range(15):
        call()
        _testcapi.set_nomemory(start)
        try:
            call()
        except MemoryError:
            pass
        finally:
            _testcapi.remove_mem_hooks()
"""


def test_memory_that_runs_out_does_not_keep_a_turn() -> None:
    """From some allocation on all fail: the next call finds the arena free."""
    pytest.importorskip("_testcapi")
    pytest.importorskip("arenite.native._engine")  # NumPy's arithmetic would end the process
    command = [sys.executable, "-c", OUT_OF_MEMORY]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
