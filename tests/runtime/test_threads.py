"""``Interpreter(threads=)``: threads that share one inference."""

import copy
import gc
import pickle
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.litert import Interpreter as LiteRT
from arenite.model import Model
from tests.native.large_networks import LARGE, large_network

pytest.importorskip("arenite.native._engine")

from tests.native.parts import divided_into
from tests.ops.differential import CASES
from tests.optimize.networks import network

ROOT = Path(__file__).parent.parent.parent
TASKS = Path("/proc/self/task")
#: Sides of images with which large networks take little time.
SMALL_SIDES = {name: 64 if name == "YOLO nano" else 48 for name in LARGE}

#: Run by processes of their own, where ``interp`` is an interpreter of two threads.
BEGIN = """
import os, sys, warnings
import numpy as np
import arenite as ar
from tests.native.large_networks import large_network
warnings.simplefilter("ignore", DeprecationWarning)  # forks of processes with threads
interp = ar.Interpreter(large_network("MobileNetV1 0.25", 128), threads=2)
x = np.zeros(interp.input(0).shape, np.int8)
y = interp(x)
assert interp._micro.compiled.program.threads == 2
"""


def inputs_of(model: Model, seed: int = 0) -> np.ndarray[Any, Any]:
    shape = model.inputs[0].shape
    return np.random.default_rng(seed).integers(-128, 128, shape, np.int8)


def outputs_of(interp: ar.Interpreter, x: np.ndarray[Any, Any]) -> list[Any]:
    interp.input(0)[...] = x
    interp.invoke()
    return [interp.output(number).tolist() for number in range(len(interp.model.outputs))]


def threads_of(interp: ar.Interpreter) -> int:
    """How many threads are there for its steps."""
    compiled = interp._micro.compiled
    assert compiled is not None
    return compiled.program.threads


def tasks() -> int:
    """How many threads this process has."""
    return len(list(TASKS.iterdir()))


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def model() -> Model:
    return large_network("MobileNetV1 0.25", 128)


@pytest.fixture
def interp(model: Model) -> Iterator[ar.Interpreter]:
    interp = ar.Interpreter(model, engine="native", threads=2)
    yield interp
    interp.close()


# -- bits --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LARGE)
def test_large_networks_give_the_same_bits_on_any_number_of_threads(name: str) -> None:
    model = large_network(name, SMALL_SIDES[name])
    x = inputs_of(model)
    one, two, three = (ar.Interpreter(model, threads=threads)(x) for threads in (1, 2, 3))
    assert len(np.unique(one)) > 10
    np.testing.assert_array_equal(two, one)
    np.testing.assert_array_equal(three, one)


@pytest.mark.parametrize("seed", range(CASES))
def test_random_networks_give_the_same_bits_in_any_parts(seed: int) -> None:
    model = network(seed, dtype="int8")
    x = inputs_of(model, seed)
    expected = outputs_of(ar.Interpreter(model, engine="reference"), x)
    for threads, parts in ((2, 2), (2, 5), (3, 3)):
        with divided_into(parts):
            shared = ar.Interpreter(model, engine="native", threads=threads)
        assert outputs_of(shared, x) == expected
        assert outputs_of(shared, x) == expected


def test_the_reference_engine_computes_the_same_on_one_thread(model: Model) -> None:
    x = inputs_of(model)
    reference = ar.Interpreter(model, engine="reference", threads=2)
    np.testing.assert_array_equal(reference(x), ar.Interpreter(model, threads=2)(x))


def test_a_batch_on_threads_of_its_own_is_the_same(interp: ar.Interpreter, model: Model) -> None:
    batch = np.concatenate([inputs_of(model, seed) for seed in range(5)])
    expected = ar.Interpreter(model).predict(batch)
    np.testing.assert_array_equal(interp.predict(batch, threads=2), expected)
    np.testing.assert_array_equal(interp.predict(batch), expected)


def test_interpreters_of_two_python_threads_do_not_meet(model: Model) -> None:
    expected = [ar.Interpreter(model)(inputs_of(model, seed)) for seed in range(2)]
    wrong: list[int] = []

    def work(seed: int) -> None:
        interp, x = ar.Interpreter(model, threads=2), inputs_of(model, seed)
        wrong.extend(number for number in range(30) if (interp(x) != expected[seed]).any())

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_the_arena_is_that_of_one_thread(interp: ar.Interpreter, model: Model) -> None:
    one = ar.Interpreter(model)
    assert interp.arena.used == one.arena.used
    assert str(interp.allocations()) == str(one.allocations())


# -- the life of threads -----------------------------------------------------------------


def test_threads_begin_with_the_first_inference(interp: ar.Interpreter) -> None:
    assert threads_of(interp) == 1
    interp.invoke()
    assert threads_of(interp) == 2


def test_a_small_model_has_none(model: Model) -> None:
    small = ar.Interpreter(network(1, "plain", "int8"), engine="native", threads=2)
    small.invoke()
    assert threads_of(small) == 1


def test_an_interpreter_that_is_closed_runs_on_the_callers_thread(
    interp: ar.Interpreter, model: Model
) -> None:
    x = inputs_of(model)
    before = interp(x)
    interp.close()
    assert threads_of(interp) == 1
    np.testing.assert_array_equal(interp(x), before)
    assert threads_of(interp) == 1
    interp.close()


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in Linux's /proc")
def test_threads_end_with_their_interpreter(model: Model) -> None:
    gc.collect()
    before = tasks()
    for _ in range(5):
        interp = ar.Interpreter(model, engine="native", threads=3)
        interp.invoke()
        assert tasks() - before == threads_of(interp) - 1 == 2
        del interp
        gc.collect()
        # Linux lists a thread for a moment after it was joined.
        until = time.monotonic() + 10
        while tasks() > before and time.monotonic() < until:
            time.sleep(0.001)
        assert tasks() == before


def test_copies_and_pickles_have_threads_too(interp: ar.Interpreter) -> None:
    for twin in (interp.copy(), copy.deepcopy(interp), pickle.loads(pickle.dumps(interp))):
        twin.invoke()
        assert threads_of(twin) == 2


def test_litert_calls_them_num_threads(model: Model, tmp_path: Path) -> None:
    from arenite.formats import tflite

    path = tmp_path / "model.tflite"
    path.write_bytes(tflite.write(model))
    interp, x = LiteRT(str(path), num_threads=2), inputs_of(model)
    interp.allocate_tensors()
    interp.set_tensor(interp.get_input_details()[0]["index"], x)
    interp.invoke()
    got = interp.get_tensor(interp.get_output_details()[0]["index"])
    np.testing.assert_array_equal(got, ar.Interpreter(model)(x))
    compiled = interp._runner._life.compiled
    assert compiled is not None
    assert compiled.program.threads == 2


def test_a_process_ends_with_threads_that_sleep_or_look_for_work() -> None:
    for wait in ("", "import time; time.sleep(0.05)"):
        done = run(wait)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_fork_has_threads_of_its_own() -> None:
    done = run("""
        child = os.fork()
        same = (interp(x) == y).all() and interp._micro.compiled.program.threads == 2
        interp.close()
        if child == 0:
            sys.stdout.flush()
            os._exit(0 if same else 3)
        print(same, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert (done.stdout, done.stderr) == ("True 0\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_fork_that_runs_nothing_ends() -> None:
    done = run("""
        child = os.fork()
        if child == 0:
            del interp
            sys.exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert (done.stdout, done.stderr) == ("0\n", "")


# -- what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, -1, 1025])
def test_numbers_of_threads_that_there_are_not(model: Model, threads: int) -> None:
    with pytest.raises(ValueError, match=f"expected threads from 1 to 1024, got {threads}"):
        ar.Interpreter(model, threads=threads)


@pytest.mark.parametrize("threads", [None, True, 1.5, "2"])
def test_what_is_no_number_of_threads(model: Model, threads: Any) -> None:
    with pytest.raises(TypeError):
        ar.Interpreter(model, threads=threads)
