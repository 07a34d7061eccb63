"""Mixtures of precisions that meet a budget."""

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.fit_time import time_of
from arenite.errors import QuantizationError
from arenite.formats import tflite
from arenite.model import TensorType
from arenite.quantize.settings import Budget
from arenite.target import find_target
from tests.optimize.networks import network
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees, samples
from tests.quantize.models import random_dense


def quantized(model, budget, **settings):
    settings = {"passes": (), "accept": True, **settings}
    return ar.quantize(model, samples(model, 40), budget=budget, **settings)


def chosen(report):
    (one,) = [one for one in report.front if one.is_chosen]
    return one


def test_a_model_that_misses_a_limit_of_flash_fits_with_int4():
    model = random_dense(32, 32, 32, 4)
    plain, whole = quantized(model, None, dense="tensor")
    limit = len(tflite.write(plain)) - 400
    result, report = quantized(model, Budget(flash=limit), dense="tensor")
    assert len(tflite.write(result)) <= limit
    assert "int4 weights, one scale" in chosen(report).changed.values()
    assert TensorType.INT4 in {tensor.type for tensor in result.main.tensors}
    assert report.sqnr < whole.sqnr


def test_no_mixture_that_keeps_the_limits_is_nearer_than_the_chosen_one():
    model = network(2, "mobilenet", "float32")
    plain, _ = quantized(model, None)
    limit = len(tflite.write(plain)) - 200
    _, report = quantized(model, Budget(flash=limit))
    keeping = [one for one in report.front if one.flash <= limit]
    assert chosen(report).sqnr == max(one.sqnr for one in keeping)


def test_int4_weights_run_in_tflm_with_the_same_bits():
    skip_without_tflm()
    model = network(2, "separable", "float32")
    plain, _ = quantized(model, None)
    result, report = quantized(model, Budget(flash=len(tflite.write(plain)) - 64))
    assert "int4 weights" in chosen(report).changed.values()
    oracle = Oracle()
    assert agrees(oracle, result, samples(model, 3, 1)) == "ok"
    oracle.close()


def test_layers_become_16_bits_wide_until_the_outputs_are_near_enough():
    model = random_dense(32, 32, 32, 4)
    _, plain = quantized(model, None)
    result, report = quantized(model, Budget(min_sqnr=plain.sqnr + 1))
    assert report.sqnr >= plain.sqnr + 1
    assert set(chosen(report).changed.values()) == {"16x8"}
    assert "QUANTIZE" in [op.name for op in result.main.operators] or len(report.front) > 1


def test_a_budget_that_is_met_already_changes_nothing():
    model = random_dense(8, 8)
    result, report = quantized(model, Budget(min_sqnr=1.0))
    again, _ = quantized(model, None)
    assert tflite.write(result) == tflite.write(again)
    assert chosen(report).changed == {}


def most(report, clock):
    """The most milliseconds that an inference of the result may take."""
    return time_of(report.model, find_target("cortex-m4"), clock).most


def test_a_deadline_that_16_bits_miss_is_met_with_8_here_and_there():
    model = network(2, "plain", "float32")
    _, slow = quantized(model, None, activations="int16", target="cortex-m4")
    _, fast = quantized(model, None, target="cortex-m4")
    assert slow.after.cycles is not None
    assert fast.after.cycles < slow.after.cycles
    clock = 100.0
    ends = [most(one, clock) for one in (fast, slow)]
    limit = sum(ends) / 2
    budget = Budget(milliseconds=limit, clock=clock)
    _, report = quantized(model, budget, activations="int16", target="cortex-m4")
    assert most(report, clock) <= limit
    assert "int8" in chosen(report).changed.values()
    assert report.sqnr >= fast.sqnr


def test_an_accuracy_may_not_drop_by_more_than_was_said():
    model = random_dense(16, 16, 4, softmax=True)
    x = samples(model, 60)[0].reshape(60, 16)
    y = ar.Interpreter(model).predict(x).reshape(60, 4).argmax(axis=1)
    _, report = ar.quantize(model, (x, y), passes=(), budget=Budget(max_drop=0.0))
    ours, theirs = report.scores["accuracy"]
    assert ours - theirs <= 0


def test_a_drop_needs_labels():
    with pytest.raises(QuantizationError, match="expected data with labels"):
        quantized(random_dense(4, 3), Budget(max_drop=0.01))


def test_what_no_mixture_keeps_names_the_nearest():
    with pytest.raises(
        QuantizationError, match=r"no mixture .* keeps 100 bytes of flash; the nearest has"
    ):
        quantized(random_dense(4, 3), Budget(flash=100))


def test_the_front_has_no_mixture_that_another_one_beats():
    model = random_dense(32, 32, 4)
    plain, _ = quantized(model, None)
    _, report = quantized(model, Budget(flash=len(tflite.write(plain)) - 300))
    for one in report.front:
        beaten = any(
            other.sqnr >= one.sqnr
            and other.flash <= one.flash
            and other.arena <= one.arena
            and (other.sqnr, other.flash, other.arena) != (one.sqnr, one.flash, one.arena)
            for other in report.front
        )
        assert one.is_front != beaten


def test_the_same_seed_gives_the_same_mixture():
    model = random_dense(32, 32, 4)
    files = [tflite.write(quantized(model, Budget(flash=3600))[0]) for _ in range(2)]
    assert files[0] == files[1]
    assert np.array_equal(files[0], files[1])
