"""Cycles of whole models are those that ``arenite cost`` says."""

import pytest

import arenite as ar
from arenite.analysis.model_cost import model_cost
from arenite.optimize._cycles import cycles_of, has_costs
from arenite.target import HOST, Target
from tests.optimize.networks import network
from tests.shared import shared_model


@pytest.mark.parametrize("processor", ["cortex-m4", "cortex-m7", "cortex-m55"])
def test_cycles_are_those_of_the_estimate(processor):
    model, target = network(3, "mobilenet", "int8"), Target(processor)
    assert has_costs(target)
    assert cycles_of(model, target) == model_cost(model, target, 100).cycles > 0


def test_cycles_of_a_real_model():
    model = ar.load(shared_model("kws_int8"))
    assert cycles_of(model, Target()) == model_cost(model, Target(), 100).cycles


@pytest.mark.parametrize("target", [None, HOST, Target("cortex-m0"), Target(library="tflm")])
def test_other_targets_have_no_costs(target):
    assert not has_costs(target)
