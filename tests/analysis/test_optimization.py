"""The figures of an optimisation."""

import arenite as ar
from arenite.analysis.optimization import figures, optimization
from arenite.analysis.statistics import statistics
from arenite.formats import tflite
from arenite.target import HOST, Target
from tests.optimize.networks import network
from tests.runtime.models import conv_model, custom_chain


def test_figures_are_those_of_the_other_commands():
    model, target = conv_model(), Target("cortex-m4")
    found = figures(model, target)
    assert found.arena == ar.smallest_arena(model, target=target)
    assert found.flash == len(tflite.write(model))
    assert found.macs == statistics(model).macs
    assert found.cycles is not None
    assert found.cycles > found.macs
    assert found.operators == 2
    assert found.head == max(b.offset + b.size for b in found.buffers)


def test_the_host_has_no_cycles():
    assert figures(conv_model(), HOST).cycles is None


def test_unknown_operators_have_figures_but_no_cycles():
    found = figures(custom_chain(2), Target("cortex-m4"))
    assert found.arena > 0
    assert found.cycles is None


def test_passes_are_listed_with_what_they_left():
    model = network(3)
    result, report = ar.optimize(model, verify=0, strip=True)
    found = optimization(report)
    assert found.original.flash == len(tflite.write(model))
    assert found.result.flash == len(tflite.write(result))
    assert [one.name for one in found.passes] == [step.name for step in report.steps]
    assert found.is_change == (result is not model)
    assert found.verification is None
