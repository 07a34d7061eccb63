"""What an operator computes on every build of firmware."""

import numpy as np
import pytest

from arenite.model import Model, TensorType
from arenite.optimize.builds import BUILDS, evaluate, every_value, table, tables
from tests.optimize.layers import Layers, Value


def of_one(net: Layers, y: Value) -> Model:
    net.output(y)
    return net.build()


def test_builds_have_all_kernels_and_both_roundings():
    assert {build.library for build in BUILDS} == {"tflm", "cmsis_nn"}
    assert {build.instructions for build in BUILDS} == {"plain", "dsp", "mve"}
    assert {build.rounding for build in BUILDS} == {"double", "single"}
    assert {build.emulate_float for build in BUILDS} == {False, True}


def test_an_operator_on_constants_is_run():
    net = Layers(0)
    net.relu(net.values((1, 5), 0.1, 3))
    model = net.build()
    found = evaluate(model.main.operators[0], model.main.tensors)
    assert found is not None
    value = model.main.tensors[0].value
    assert value is not None
    np.testing.assert_array_equal(found[0], np.maximum(value, 3))


def test_builds_that_round_otherwise_have_no_common_result():
    net = Layers(0)
    x = net.input(1, 4)
    model = of_one(net, net.quantize(x, x.scale * 3, 0))
    tensors = model.main.tensors
    each = tables(model.main.operators[0], tensors[0], tensors[1], None)
    assert each is not None
    assert len(each) == len(BUILDS)
    assert len({one.tobytes() for one in each}) == 2
    assert table(model.main.operators[0], tensors[0], tensors[1], None) is None


@pytest.mark.parametrize("name", ["MAXIMUM", "MINIMUM"])
def test_a_bound_is_a_function_of_one_value(name):
    net = Layers(0)
    model = of_one(net, net.bound(net.input(1, 4), name, 7))
    operator, tensors = model.main.operators[0], model.main.tensors
    first = operator.inputs[0] == 0
    found = table(operator, tensors[0], tensors[2], tensors[1], first=first)
    function = np.maximum if name == "MAXIMUM" else np.minimum
    assert found is not None
    np.testing.assert_array_equal(found, function(every_value(TensorType.INT8), np.int8(7)))


def test_floats_have_no_table():
    net = Layers(0, "float32")
    model = of_one(net, net.relu(net.input(1, 4)))
    assert table(model.main.operators[0], *model.main.tensors[:2], None) is None


def test_every_value_is_in_order():
    values = every_value(TensorType.UINT8)
    assert (values[0], values[-1], len(values)) == (0, 255, 256)
