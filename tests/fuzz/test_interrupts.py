"""Ctrl-C at every place where Python would notice it: an error, and the same bits afterwards."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import native
from arenite.formats import load, tflite
from tests.fuzz.faults import interrupts
from tests.fuzz.seeds import classifier
from tests.runtime.models import memory_of_three

# Python cannot raise an interrupt that comes while a generator is put away.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

FILE = tflite.write(classifier())
X = np.random.default_rng(0).integers(-128, 128, (1, 5, 5, 1), np.int8)
BATCH = np.random.default_rng(1).integers(-128, 128, (40, 5, 5, 1), np.int8)
Y = ar.Interpreter(FILE)(X)
ENGINES = ["reference", "native"] if native.available() else ["reference"]
#: A prime, so that the places differ from those of the last run of a loop.
STEP = 7


def at_every_place(
    function: Callable[[], Any],
    check: Callable[[], None],
    step: int = STEP,
) -> int:
    """Interrupt a call at every ``step``-th place, and check after each; how many there were."""
    trap, number = interrupts(), 1
    while True:
        try:
            trap.call(function, number)
        except KeyboardInterrupt:
            assert trap.sprung
        except ar.PredictError as error:
            assert isinstance(error.__cause__, KeyboardInterrupt), error
        check()
        if not trap.sprung:
            return number
        number += step


def same(interpreter: ar.Interpreter) -> Callable[[], None]:
    def check() -> None:
        np.testing.assert_array_equal(interpreter(X), Y)

    return check


@pytest.mark.parametrize("engine", ENGINES)
def test_loading_and_planning(engine: Any) -> None:
    def start() -> ar.Interpreter:
        return ar.Interpreter(load(FILE), engine=engine)

    def check() -> None:
        np.testing.assert_array_equal(ar.Interpreter(FILE, engine=engine)(X), Y)

    assert at_every_place(start, check, step=41) > 500


def test_planning_in_a_shared_arena() -> None:
    """What was begun is undone: the other model in the arena still runs."""
    allocator = ar.MicroAllocator.create(1 << 16)
    resolver = ar.AllOpsResolver()
    first = ar.MicroInterpreter(load(FILE), resolver, allocator=allocator)
    first.allocate_tensors()
    used = first.arena.used

    def start() -> None:
        second = ar.MicroInterpreter(load(FILE), resolver, allocator=allocator)
        second.allocate_tensors()
        allocator.rollback(before)

    before = allocator.checkpoint()
    trap, number = interrupts(), 1
    while True:
        try:
            trap.call(start, number)
        except KeyboardInterrupt:
            allocator.rollback(before)
        assert allocator.arena.used == used
        first.input(0)[...] = X
        first.invoke()
        np.testing.assert_array_equal(first.output(0), Y)
        if not trap.sprung:
            break
        number += 41


CALLS: dict[str, Callable[[ar.Interpreter], Any]] = {
    "call": lambda interp: interp(X),
    "call with names": lambda interp: interp(x=X),
    "call with reals": lambda interp: interp(X.astype(np.float32), quantize=True),
    "invoke": lambda interp: interp.invoke(),
    "reset": lambda interp: interp.reset(),
    "predict": lambda interp: interp.predict(BATCH),
    "predict on threads": lambda interp: interp.predict(BATCH, threads=2),
    "deepcopy": deepcopy,
    "pickle": lambda interp: pickle.loads(pickle.dumps(interp)),
    "allocations": lambda interp: interp.allocations(),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_an_interpreter(name: str, engine: Any) -> None:
    interpreter = ar.Interpreter(FILE, engine=engine)
    interpreter.input(0)[...] = X
    step = 1 if name in ("call", "invoke", "reset", "call with names") else 53
    at_every_place(lambda: CALLS[name](interpreter), same(interpreter), step)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_with_state_starts_again_with_reset(engine: Any) -> None:
    model = memory_of_three()
    interpreter = ar.Interpreter(model, engine=engine)
    x = np.ones(model.inputs[0].shape, model.inputs[0].type.dtype)
    expected = [interpreter(x) for _ in range(3)]

    def check() -> None:
        interpreter.reset()
        for value in expected:
            np.testing.assert_array_equal(interpreter(x), value)

    check()
    at_every_place(lambda: interpreter(x), check, step=1)


def test_the_heap_interpreter() -> None:
    interpreter = ar.HeapInterpreter(load(FILE))

    def check() -> None:
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = X
        interpreter.invoke()
        np.testing.assert_array_equal(interpreter.output(0), Y)

    at_every_place(interpreter.allocate_tensors, check, step=41)
    at_every_place(interpreter.invoke, check, step=13)


SIGNALS = """
import signal, sys
import numpy as np
import arenite as ar
interp = ar.Interpreter(sys.argv[1])
rng = np.random.default_rng(0)
x = rng.integers(-128, 128, (30000, 5, 5, 1), np.int8)
expected = interp.predict(x[:50])
caught = 0
for number in range(60):
    threads = 1 + number % 3
    try:
        signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(1e-5, 0.004)))
        interp.predict(x, threads=threads)
    except KeyboardInterrupt:
        caught += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    np.testing.assert_array_equal(interp.predict(x[:50], threads=threads), expected)
print(caught)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs timers")
def test_signals_at_random_times(tmp_path: Any) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(FILE)
    handler = "import signal\nsignal.signal(signal.SIGALRM, signal.default_int_handler)\n"
    command = [sys.executable, "-c", handler + SIGNALS, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
