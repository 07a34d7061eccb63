"""All that can be said of a model at once."""

import pytest

import arenite as ar
from arenite.analysis.head_plans import planned_head
from arenite.analysis.overview import overview
from arenite.memory.liveness import Moment
from arenite.model import ModelBuilder
from arenite.target import HOST
from tests.shared import DIGITS, shared_model


def test_of_a_model_that_runs_all_is_said() -> None:
    facts = overview(DIGITS)
    assert facts.obstacles == ()
    assert facts.head is not None
    assert facts.cost is not None
    assert facts.walked is not None
    assert facts.walked.operator.index == 0
    assert facts.walked.walk.numbers.agrees


def test_comparisons_are_with_the_model_itself() -> None:
    (found,) = overview(DIGITS, compare_with=["@cortex-m4"]).comparisons
    assert (found.first, found.second) == ("digits_int8.tflite", "@cortex-m4")


def test_a_side_that_does_not_exist_is_no_obstacle() -> None:
    with pytest.raises(ValueError, match="expected an engine"):
        overview(DIGITS, compare_with=["@nothing"])


def test_one_reason_for_several_things_is_said_once() -> None:
    (one,) = overview(shared_model("kws_hybrid")).obstacles
    things = ("TensorFlow Lite Micro", "the arena", "the costs", "the paths", "whether it fits")
    assert one.about == things


def test_of_an_mnn_file_what_tflm_lacks_is_named() -> None:
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 4), "float32")
    b.operator("SMOOTH", [x], [y], custom_options=b"")
    b.output(y)
    facts = overview(b.build())
    assert facts.head is None
    assert all("SMOOTH" in one.reason for one in facts.obstacles)


def test_what_is_alive_is_at_most_the_lower_bound_and_peaks_where_it_is_most() -> None:
    head = planned_head(ar.load(DIGITS), HOST)
    assert len(head.alive) == len(head.moments) == 11
    assert head.moments[:2] == (Moment(0, -1), Moment(0, 0))
    assert max(head.alive) == head.plans.lower_bound
    assert [head.alive[moment] for moment in head.peak] == [max(head.alive)] * len(head.peak)


def test_every_plan_has_the_same_buffers() -> None:
    head = planned_head(ar.load(shared_model("vww_int8")), HOST)
    greedy, best = head.placed
    assert [(b.name, b.size) for b in greedy.buffers] == [(b.name, b.size) for b in best.buffers]
    assert (greedy.height, best.height) == (head.plans.greedy, head.plans.optimal)
