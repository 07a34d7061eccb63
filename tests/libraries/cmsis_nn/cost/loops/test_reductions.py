"""Reductions: by hand."""

from arenite.libraries.cmsis_nn.cost.loops.reductions import KERNELS
from arenite.ops.shared.reduction import ReducerOptions
from tests.libraries.cmsis_nn.cost.loops.views import passes, view


def reduced(name, shape, axes, output, *, keep=False, kind="float32"):
    inputs = [(shape, kind), axes]
    return KERNELS[name](view(name, inputs, [(output, kind)], ReducerOptions(keep)))


def test_every_value_finds_its_sum_through_all_dimensions():
    found = passes(reduced("SUM", (2, 3, 4), [-1], (2, 3)))
    assert (found["value"], found["value, dimension"], found["value, axis"]) == (24, 72, 24)
    assert (found["result"], found["carry"]) == (6, 1 + 2 + 6)


def test_a_mean_over_an_image_has_loops_of_its_own():
    found = reduced("MEAN", (1, 4, 4, 3), [1, 2], (1, 1, 1, 3), keep=True)
    assert {loop.function for loop in found} == {"MEAN, float32, of images"}
    other = reduced("MEAN", (1, 4, 4, 3), [1, 2], (1, 3))
    assert {loop.function for loop in other} == {"MEAN, float32"}


def test_the_largest_of_every_line():
    found = passes(KERNELS["ARG_MAX"](view("ARG_MAX", [((2, 3, 4), "int8"), [1]], [])))
    assert (found["block"], found["line"], found["value"]) == (2, 8, 24)


def test_softmax_goes_row_by_row():
    found = passes(KERNELS["SOFTMAX"](view("SOFTMAX", [((2, 5), "float32")], [])))
    assert (found["row"], found["value"]) == (2, 10)
