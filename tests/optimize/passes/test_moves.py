"""Operators that move values: CMSIS-NN exchanges two dimensions of int8 whatever it is asked."""

from itertools import product

import pytest

from arenite.optimize.passes.fold import fold
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from arenite.target import Target
from tests.optimize.layers import Layers

SAME, OTHER = (0, 1), (1, 0)
TARGETS = None, Target("cortex-m4"), Target("cortex-m4", library="tflm"), Target("cortex-m55")


def left(shape, *orders, kind="int8", tail=True):
    """Orders of the transpositions that folding leaves, with the same outputs on all targets."""
    net = Layers(0, kind)
    x = net.input(*shape)
    for order in orders:
        x = net.transpose(x, order)
    net.output(net.softmax(x) if tail else x)
    model = net.build()
    result = fold(model, Settings()).model
    if result is not model:
        for target in TARGETS:
            verify(model, result, Settings(target=target), 3)
    graph = result.main
    found = [graph.tensors[op.inputs[1]].data for op in graph.operators if op.name == "TRANSPOSE"]
    return [tuple(order.view("<i4").tolist()) for order in found]


def test_two_dimensions_of_int8_in_their_own_order_stay():
    assert left((3, 5), SAME) == [SAME]


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_a_row_is_the_same_exchanged(shape):
    assert left(shape, SAME) == []


def test_floats_and_more_dimensions_in_their_own_order_go():
    assert left((3, 5), SAME, kind="float32") == []
    assert left((2, 3, 5), (0, 1, 2)) == []
    assert left((1, 2, 3, 5), (0, 1, 2, 3)) == []


@pytest.mark.parametrize("tail", [True, False])
@pytest.mark.parametrize("orders", list(product((SAME, OTHER), repeat=2)))
def test_two_transpositions_of_two_dimensions(orders, tail):
    expected = [] if orders == (OTHER, OTHER) and tail else list(orders)
    assert left((3, 5), *orders, tail=tail) == expected


@pytest.mark.parametrize("orders", list(product((SAME, OTHER), repeat=3)))
def test_three_transpositions_of_two_dimensions(orders):
    left((4, 4), *orders)


def test_those_of_floats_are_joined():
    assert left((3, 5), SAME, OTHER, kind="float32") == [OTHER]
    assert left((3, 5), OTHER, OTHER, kind="float32", tail=False) == [SAME]
