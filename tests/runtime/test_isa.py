"""Which instruction set's kernels an interpreter runs, here and wherever it is taken."""

import hashlib
import pickle
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from multiprocessing import get_context

import numpy as np
import pytest

import arenite as ar
from arenite.runtime.heap_host import HeapInterpreter
from tests.runtime.models import sums_of_products

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas

BEST = available_isas()[-1]
SAMPLES = (np.random.default_rng(1).integers(-1000, 1000, (40, 200)) / 777).astype(np.float32)
needs_two = pytest.mark.skipif(BEST == "portable", reason="needs a second instruction set")


MODEL = sums_of_products()


def bits(isa: str | None) -> bytes:
    """The outputs, as they are with that set."""
    outputs = ar.Interpreter(MODEL, isa=isa).predict(SAMPLES)
    assert isinstance(outputs, np.ndarray)
    return outputs.tobytes()


@needs_two
def test_the_best_set_is_taken_unless_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENITE_ISA", raising=False)
    assert bits(None) == bits(BEST) != bits("portable")
    monkeypatch.setenv("ARENITE_ISA", "portable")
    assert bits(None) == bits("portable")
    assert bits(BEST) != bits("portable")


def test_portable_floats_are_the_same_on_every_machine() -> None:
    assert hashlib.sha256(bits("portable")).hexdigest()[:16] == "73e77dd8429f7798"


@needs_two
@pytest.mark.parametrize("carry", [pickle.dumps, deepcopy, ar.Interpreter.copy])
def test_it_goes_along_with_an_interpreter(carry) -> None:
    carried = carry(ar.Interpreter(MODEL, isa="portable"))
    other = pickle.loads(carried) if isinstance(carried, bytes) else carried
    assert other.predict(SAMPLES).tobytes() == bits("portable")


@needs_two
def test_a_heap_interpreter_takes_it_too() -> None:
    heap = HeapInterpreter(MODEL, engine="auto", isa="portable")
    heap.allocate_tensors()
    heap.input()[...] = SAMPLES[:1]
    heap.invoke()
    assert heap.output().tobytes() == bits("portable")[:256]


@needs_two
def test_it_reaches_the_workers_of_an_evaluation() -> None:
    data = (SAMPLES, np.zeros((len(SAMPLES), 64), np.float32))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = ar.evaluate(
            MODEL, data, scoring=ar.Scoring("regress"), isa="portable", spread=ar.Spread(pool)
        )
    here = ar.evaluate(MODEL, data, scoring=ar.Scoring("regress"), isa="portable")
    best = ar.evaluate(MODEL, data, scoring=ar.Scoring("regress"), isa=BEST)
    outputs = [found.scores[0].values for found in (there, here, best)]
    assert np.array_equal(outputs[0], outputs[1])
    assert not np.array_equal(outputs[1], outputs[2])


def test_a_set_that_is_not_here_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"expected an instruction set of portable.*, got 'sse9'"):
        ar.Interpreter(MODEL, isa="sse9")


def test_the_reference_has_no_instruction_set() -> None:
    with pytest.raises(ar.AreniteError, match=r"expected engine .*, got 'reference'"):
        ar.Interpreter(MODEL, engine="reference", isa="portable")
