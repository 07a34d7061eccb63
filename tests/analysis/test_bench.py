"""``ar.bench``: what is measured without the command line."""

from dataclasses import replace

import pytest

import arenite as ar
from tests.runtime.models import custom_chain, resolver_with
from tests.shared import DIGITS


def test_it_measures_arenite_alone():
    found = ar.bench(DIGITS, repeat=2)
    (engine,) = found.engines
    assert engine.name == "arenite"
    assert engine.inference.median > 0 < engine.load.median
    assert [batch.threads for batch in found.batches] == [1, 2]
    assert [one.index for one in found.operators] == list(range(10))
    assert found.absent == {}


def test_a_model_that_was_loaded_is_measured_as_well():
    found = ar.bench(ar.load(DIGITS), target="cortex-m4", engine="reference", repeat=1)
    assert (found.engine, found.isa, found.target.processor) == ("reference", "", "cortex-m4")


def test_operators_of_the_users_own_are_measured():
    step = resolver_with("STEP").find("STEP")
    assert step is not None
    model = replace(custom_chain(length=3), registrations={"STEP": step})
    assert [one.name for one in ar.bench(model, repeat=1).operators] == ["STEP"] * 3


@pytest.mark.parametrize(("settings", "words"), [({"target": "m99"}, "expected a target")])
def test_wrong_arguments_say_what_is_expected(settings, words):
    with pytest.raises(ValueError, match=words):
        ar.bench(DIGITS, **settings)
