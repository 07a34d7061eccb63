"""Poor results are errors with what is lost and what to try, unless somebody accepts them."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.errors import QuantizationError
from arenite.quantize.poor import agreement_of, slower_than_float, why_poor
from arenite.quantize.settings import Budget
from tests.quantize.agreement import samples
from tests.quantize.models import lost, lost_data, random_dense


def test_a_poor_result_is_an_error_that_says_where_and_what_to_try():
    with pytest.raises(QuantizationError) as caught:
        ar.quantize(lost(), lost_data(), passes=())
    text = str(caught.value)
    assert text.startswith("the int8 model is poor: its outputs have an SQNR of ")
    assert "most is lost at TANH 1 to " in text
    assert "--activations int16, --keep-float 1" in text
    assert text.endswith("--accept takes it as it is")


def test_what_is_accepted_comes_with_a_note():
    _, report = ar.quantize(lost(), lost_data(), passes=(), accept=True)
    assert report.sqnr < 15
    assert report.notes[0].startswith("the int8 model is poor")


def test_a_limit_of_ones_own_takes_the_place_of_the_usual_one():
    _, report = ar.quantize(lost(), lost_data(), passes=(), budget=Budget(min_sqnr=-10.0))
    assert report.sqnr < 15


def test_samples_that_judge_are_not_among_those_that_ranges_are_from():
    model = random_dense(4, 3)
    _, report = ar.quantize(model, samples(model, 300), passes=())
    assert (report.samples, report.judged, report.apart) == (240, 60, True)
    assert report.spreads[0].seen.count == 240 * 4
    _, report = ar.quantize(model, samples(model, 10), passes=())
    assert (report.samples, report.judged, report.apart) == (10, 10, False)


@pytest.fixture(scope="module")
def report():
    model = random_dense(4, 3, softmax=True)
    return ar.quantize(model, samples(model, 100), passes=())[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"sqnr": 14.0, "agreement": 0.99}, ""),  # a classifier is as good as its classes
        ({"sqnr": 14.0, "agreement": 0.8}, "14.0 dB, expected at least 15, and 80% of the samples"),
        ({"sqnr": 14.0, "agreement": None}, "14.0 dB, expected at least 15"),
        ({"sqnr": 14.0, "agreement": None, "scores": {"accuracy": (0.9, 0.89)}}, ""),
        (
            {"sqnr": 40.0, "scores": {"accuracy": (0.9, 0.5)}},
            "50.0% of the samples are right, 90.0%",
        ),
        ({"judged": 4, "scores": {"accuracy": (0.75, 0.5)}}, ""),  # one of four is chance
    ],
)
def test_the_tasks_own_measure_decides_where_there_is_one(report, changes, words):
    text = why_poor(replace(report, **changes))
    assert words in text
    assert bool(text) == bool(words)


def test_integers_that_are_slower_than_floats_are_pointed_out(report):
    slow = replace(report, before=replace(report.before, cycles=4_020_000.0))
    slow = replace(slow, after=replace(slow.after, cycles=4_270_000.0))
    assert "takes 4,270,000 cycles, 4,020,000 in float" in slower_than_float(slow)
    assert slower_than_float(report) == ""


def test_classes_are_compared_where_an_output_is_a_row_of_scores():
    a = np.array([[1, 2], [3, 1]])
    assert agreement_of([a], [a[:, ::-1]]) == 0
    assert agreement_of([a], [a]) == 1
    assert agreement_of([a[:, :1]], [a[:, :1]]) is None  # one number
    picture = np.zeros((2, 4, 4))
    assert agreement_of([picture], [picture]) is None
    assert agreement_of([a, a], [a, a]) is None
