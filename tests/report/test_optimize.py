"""An optimisation as a person reads it."""

import re
from dataclasses import replace

import arenite as ar
from arenite.analysis.optimization import Optimization, optimization
from arenite.report.optimize import render_maps, render_optimization
from arenite.report.optimize_svg import plans_svg
from tests.optimize.layers import Layers
from tests.optimize.networks import network
from tests.runtime.models import custom_chain


def found(model: ar.Model, **settings) -> Optimization:
    return optimization(ar.optimize(model, **settings)[1])


def lines(one: Optimization, **how) -> list[str]:
    return [line.plain for line in render_optimization(one, 80, **how)]


def test_notes_are_few_unless_all_are_wanted():
    net = Layers(0)
    x = net.input(1, 4)
    for _ in range(6):
        net.relu(x)
    net.output(net.softmax(x))
    one = found(net.build(), verify=0, only=["clean"])
    assert "  and 4 more, see --verbose" in lines(one)
    assert sum("nobody reads" in line for line in lines(one, verbose=True)) == 6


def test_lines_fit_the_width():
    one = found(network(1), verify=0, strip=True)
    assert max(map(len, lines(one))) <= 80


def test_names_from_files_are_shown_without_escapes():
    net = Layers(0)
    x = net.input(1, 4)
    net.output(net.reshape(x, x.shape))
    model = net.build()
    tensors = list(model.main.tensors)
    tensors[2] = replace(tensors[2], name="\x1b[31mred\n")
    main = replace(model.main, tensors=tuple(tensors))
    one = found(replace(model, subgraphs=(main,)), verify=0, only=["fold"])
    assert not any("\x1b" in line or "\n" in line for line in lines(one))


def test_stand_ins_and_ways_that_were_not_are_named():
    net = custom_chain(2)
    one = found(net, verify=2, strip=True)
    text = " ".join(lines(one))
    assert "something else computed in the place of STEP" in text
    assert "not in tflite_micro: an operator is not known to it" in text


def test_maps_show_both_heads():
    one = found(network(1), verify=0)
    headings = [line.plain for line in render_maps(one, 60) if line.plain.startswith("Head")]
    assert headings == [
        f"Head before: {one.original.head:,} bytes",
        f"Head after: {one.result.head:,} bytes",
    ]


def test_both_plans_have_one_scale():
    one = found(network(2), verify=0)
    small = one.original.buffers[:1]
    picture = plans_svg(("a", one.original.buffers), ("b", small))
    found_heights = re.findall(r'<rect x="[^"]+" y="[^"]+" width="[^"]+" height="([^"]+)"', picture)
    heights = list(map(float, found_heights))
    assert abs(heights[0] - heights[-1]) < 0.01
