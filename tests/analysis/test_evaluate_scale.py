"""Evaluations on executors: each sample counts once, whatever an executor does."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation import workers
from arenite.ops import Registration
from tests.analysis.evaluated import Hostile, given, scores
from tests.ops.signal.models import signal_model

RNG = np.random.default_rng(1)
X = given(*RNG.normal(size=(60, 3)))
Y = RNG.integers(0, 3, 60)
ALONE = ar.evaluate(scores(3), (X, Y))


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Workers of this process have seen no model."""
    monkeypatch.setattr(workers, "_kept", type(workers._kept)())


def equal(found, chunks):
    assert found.score.values.tolist() == ALONE.score.values.tolist()
    assert found.metrics == ALONE.metrics
    assert found.confusion.sum() == 60
    assert found.scale.chunks == chunks


@pytest.mark.parametrize("script", [[], ["twice"] * 6, ["raise", "cancel"], ["other", "nothing"]])
def test_what_an_executor_does_wrong_changes_no_result(script):
    executor = Hostile(script)
    found = ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, workers=2, chunk=10))
    equal(found, 6)
    wrong = sum(one != "twice" for one in script)
    assert found.scale.again == wrong
    assert len(executor.jobs) >= 6 + wrong


def test_what_an_executor_loses_is_handed_in_again_after_a_while():
    executor = Hostile(["run", "lose", "run", "lose"])
    found = ar.evaluate(
        scores(3), (X, Y), spread=ar.Spread(executor, workers=2, chunk=10, timeout=0.05)
    )
    equal(found, 6)
    assert found.scale.again == 2


def test_an_answer_that_comes_late_does_not_count_again():
    class Late(Hostile):
        def submit(self, function, job):
            if len(self.jobs) == 2:  # the first has been given up by now
                self.late.set_result(function(self.jobs[0]))
            future = super().submit(function, job)
            self.late = future if len(self.jobs) == 1 else self.late
            return future

    executor = Late(["lose"])
    found = ar.evaluate(
        scores(3), (X, Y), spread=ar.Spread(executor, workers=1, chunk=30, timeout=0.05)
    )
    equal(found, 2)


def test_what_is_lost_too_often_is_named():
    executor = Hostile(["raise"] * 5)
    with pytest.raises(
        ar.EvaluateError,
        match=r"lost chunk 0 \(samples 0 to 9\): ConnectionError: a worker is gone; 0 of 60 ",
    ):
        ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, workers=1, chunk=10))


def test_an_error_of_a_sample_is_final_and_names_it():
    x = X.copy()
    x[37, 1] = np.nan
    executor = Hostile([])
    with pytest.raises(ar.EvaluateError, match="sample 37: expected numbers, got NaN"):
        ar.evaluate(scores(3), (x, Y), spread=ar.Spread(executor, workers=1, chunk=10))
    assert {job.number for job in executor.jobs} <= {0, 1, 2, 3, 4, 5}
    assert [job.number for job in executor.jobs].count(3) == 1


def test_models_travel_with_the_first_jobs_only():
    executor = Hostile([])
    found = ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, workers=2, chunk=10))
    brought = [job.bench.content is not None for job in executor.jobs]
    assert brought == [True, True, False, False, False, False]
    assert found.scale.sent == 2


def test_a_worker_without_the_model_gets_it_with_the_same_chunk(monkeypatch):
    class Forgetful(Hostile):
        def submit(self, function, job):
            if len(self.jobs) == 3:  # a new worker
                monkeypatch.setattr(workers, "_kept", type(workers._kept)())
            return super().submit(function, job)

    executor = Forgetful([])
    found = ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, workers=1, chunk=10))
    equal(found, 6)
    assert found.scale.sent >= 2
    assert found.scale.again == 0


def test_threads_have_a_model_each():
    with ThreadPoolExecutor(3) as executor:
        found = ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, chunk=2))
    equal(found, 30)


def test_processes_share_the_work():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        found = ar.evaluate(scores(3), (X, Y), spread=ar.Spread(executor, chunk=5), against="@m4")
        equal(found, 12)
        assert found.score.latency is None
        assert f":{os.getpid()}" not in "".join(found.scale.workers)
        with pytest.raises(ar.EvaluateError, match=r"lost one of the chunks 0 \(samples 0 to 4\)"):
            ar.evaluate(
                fatal(), (np.zeros((60, 2), np.int16), None), spread=ar.Spread(executor, chunk=5)
            )


def end_the_process(*_):
    os._exit(3)


def fatal():
    """An interpreter whose operator ends its process."""
    ports = [((2,), "int16")]
    model = signal_model("FATAL", {}, [*ports], ports)
    resolver = ar.MutableOpResolver()
    resolver.add_custom("FATAL", Registration(invoke=end_the_process))
    return ar.Interpreter(model, resolver=resolver)


def test_what_cannot_be_pickled_says_so():
    class Own:
        model = scores(3)
        invoke = reset = output = input = staticmethod(lambda *_: None)

    with pytest.raises(ar.EvaluateError, match=r"Own\): cannot go to other processes"):
        ar.evaluate(Own(), (X, Y), spread=ar.Spread(Hostile([])))
