"""How long a verification follows loops."""

from dataclasses import replace

from arenite.model import ModelBuilder
from arenite.optimize import loops
from arenite.optimize.loops import call_budget
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from tests.optimize.layers import Layers
from tests.runtime.subgraphs import endless, loop


def test_a_loop_with_an_end_is_verified():
    found = verify(loop(), loop(), Settings(), 2)
    assert not found.unfinished
    assert "reference" in found.ways


def test_all_inferences_share_one_budget(monkeypatch):
    # A count from 3 takes 7 calls; there are 9 inferences, some of them from 0, and two models.
    monkeypatch.setattr(loops, "MOST_WORK", 2 * 20)
    assert verify(loop(), loop(), Settings(), 2).unfinished


def test_a_heavy_body_gets_fewer_calls():
    net = Layers(0)
    net.output(net.conv(net.input(1, 64, 64, 16), 32))
    body = net.build().main
    heavy = endless().subgraphs[0], body, body
    light = call_budget(endless()).limit
    assert call_budget(replace(endless(), subgraphs=heavy)).limit < light / 100


def test_a_model_without_loops_has_a_budget_that_nothing_takes():
    assert call_budget(ModelBuilder().build()).limit == loops.MOST_WORK
