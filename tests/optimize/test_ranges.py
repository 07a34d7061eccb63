"""Ranges of whole models: what is promised of inputs, constants, subgraphs, soundness."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.optimize.ranges import ranges_of
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.optimize.chains import Chain
from tests.optimize.inside import assert_inside, random_steps, with_all_outputs
from tests.optimize.networks import network
from tests.oracle import Oracle
from tests.shared import shared_models


def relu_model(scale: float = 1.0) -> Model:
    """``y = max(x, 0)`` with zero points 0, over two channels."""
    b = ModelBuilder()
    x = b.input("x", (3, 2), "int8", scale=scale)
    y = b.tensor("y", (3, 2), "int8", scale=scale)
    b.operator("RELU", [x], [y])
    b.output(y)
    return b.build()


def dense_model(
    weights: list[list[int]], bias: list[int], activation: int = 0, scale: float = 1.0
) -> Model:
    """int8 ``y = activation(x @ weights.T + bias)``, rescaled by ``scale``; zero point of x 0."""
    b = ModelBuilder()
    x = b.input("x", (1, len(weights[0])), "int8", scale=1.0)
    w = b.constant("w", np.array(weights, np.int8), scale=scale)
    c = b.constant("c", np.array(bias, np.int32), scale=scale)
    y = b.tensor("y", (1, len(bias)), "int8", scale=1.0)
    b.operator("FULLY_CONNECTED", [x, w, c], [y], FullyConnectedOptions(activation))
    b.output(y)
    return b.build()


def ends(model: Model, name: str, **declared: tuple[float, float]) -> tuple[list[int], list[int]]:
    index = next(i for i, t in enumerate(model.main.tensors) if t.name == name)
    low, high = ranges_of(model, declared).tensors[0, index]
    return low.tolist(), high.tolist()


# -- by hand -----------------------------------------------------------------------------


def test_an_input_may_be_anything_its_type_holds():
    assert ends(relu_model(), "x") == ([-128, -128], [127, 127])


def test_a_relu_has_no_negative_values():
    assert ends(relu_model(), "y") == ([0, 0], [127, 127])


def test_what_is_promised_of_an_input_is_rounded_outwards():
    assert ends(relu_model(0.5), "x", x=(-1.2, 3.2)) == ([-3, -3], [7, 7])


def test_a_promise_about_no_input_is_an_error():
    with pytest.raises(ValueError, match="expected an input of x, got 'y'"):
        ranges_of(relu_model(), {"y": (0, 1)})


def test_an_empty_promise_is_an_error():
    with pytest.raises(ValueError, match="expected a range, got 1 to 0"):
        ranges_of(relu_model(), {"x": (1, 0)})


def test_sums_are_those_of_the_ends_with_the_bias():
    model = dense_model([[1, -2], [3, 0]], [10, -1])
    low, high = ranges_of(model).accumulators[0, 0]
    assert low.tolist() == [10 - 128 - 2 * 127, -1 - 3 * 128]
    assert high.tolist() == [10 + 127 + 2 * 128, -1 + 3 * 127]


def test_a_large_negative_bias_behind_a_relu_leaves_a_constant():
    model = dense_model([[1, -2], [1, -2]], [-400, -300], activation=1)
    assert ends(model, "y") == ([0, 0], [0, 83])
    assert ranges_of(model).constant_channels(0, 3) == 1


def test_sums_that_wrap_can_give_anything():
    # The ratio 1 is 2**30 with a shift of 1 to the left, which leaves 30 bits.
    model = dense_model([[1, 0], [1, 0]], [2**30 - 1, 2**30 - 128], activation=1)
    assert ends(model, "y") == ([0, 127], [127, 127])


def test_a_constant_has_its_values():
    model = dense_model([[1, -2], [3, 0]], [0, 0])
    low, high = ranges_of(model).tensors[0, 1]
    assert (low.tolist(), high.tolist()) == ([1, -2], [3, 0])


def test_a_variable_may_be_anything():
    model = relu_model()
    tensors = (model.main.tensors[0], replace(model.main.tensors[1], is_variable=True))
    model = replace(model, subgraphs=(replace(model.main, tensors=tensors),))
    assert ends(model, "y") == ([-128, -128], [127, 127])


def test_an_unknown_operator_gives_anything():
    b = ModelBuilder()
    x = b.input("x", (1, 2), "int8", scale=1.0)
    y, z = (b.tensor(name, (1, 2), "int8", scale=1.0) for name in "yz")
    b.operator("RELU", [x], [y])
    b.operator("SOMEBODYS", [y], [z], custom_options=b"")
    b.output(z)
    model = b.build()
    assert ends(model, "y") == ([0, 0], [127, 127])
    assert ends(model, "z") == ([-128, -128], [127, 127])


def test_a_custom_operator_with_the_name_of_a_builtin_one_is_unknown():
    model = relu_model()
    custom = replace(model.main.operators[0], is_custom=True)
    model = replace(model, subgraphs=(replace(model.main, operators=(custom,)),))
    assert ends(model, "y") == ([-128, -128], [127, 127])


def test_other_subgraphs_know_nothing_of_what_is_promised():
    model = relu_model()
    model = replace(model, subgraphs=(model.main, model.main))
    ranges = ranges_of(model, {"x": (0.0, 1.0)})
    assert ranges.tensors[0, 1].high.tolist() == [1, 1]
    assert ranges.tensors[1, 1].high.tolist() == [127, 127]


def test_all_inputs_of_a_small_layer_give_exactly_its_ranges():
    rng = np.random.default_rng(5)
    for _ in range(5):
        weights, bias = rng.integers(-128, 128, (4, 2)), rng.integers(-(2**15), 2**15, 4)
        model = dense_model(weights.tolist(), bias.tolist(), activation=1, scale=0.01)
        every = np.stack(np.meshgrid(*[np.arange(-128, 128)] * 2), -1).reshape(-1, 2)
        interpreter = HeapInterpreter(model)
        interpreter.resize_input(0, every.shape)
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = every
        interpreter.invoke()
        y = interpreter.output(0)
        assert ends(model, "y") == (y.min(axis=0).tolist(), y.max(axis=0).tolist())


# -- for all models ----------------------------------------------------------------------


@pytest.mark.parametrize("rounding", ["double", "single"])
@pytest.mark.parametrize("seed", range(40))
def test_values_of_random_networks_lie_in_their_ranges(seed, rounding):
    model = network(seed, dtype="int8")
    ranges = ranges_of(model)
    target = Target("host", rounding=rounding, emulate_float=bool(seed % 2))
    interpreter = HeapInterpreter(model, target=target)
    interpreter.allocate_tensors()
    for inputs in random_steps(model, seed, 8):
        for index, values in enumerate(inputs):
            interpreter.input(index)[...] = values
        interpreter.invoke()
        assert_inside(ranges, model, interpreter)


@pytest.mark.parametrize(("width", "taps", "stride"), [(3, 2, 3), (6, 2, 3), (8, 3, 4), (12, 3, 4)])
def test_lines_with_vectors_lie_in_their_ranges(width, taps, stride):
    # At these lines' right ends CMSIS-NN's vectors see padding where there are pixels.
    net = Chain(seed=width)
    x = net.input(1, 1, width, 4, zero=100)
    y = net.tensor((1, 1, -(-width // stride), 6), 0)
    values = np.abs(net.values(6, 1, taps, 4).astype(int)).clip(1, 127).astype(np.int8)
    operands = net.operands(values, 0, 6, (), None)
    net.b.operator("CONV_2D", [x.index, *operands], [y.index], Conv2DOptions(0, stride, 1))
    model = net.build(y)
    ranges = ranges_of(model, {"x": (-40.0, -30.0)})
    interpreter = HeapInterpreter(model, target=Target("cortex-m55"))
    interpreter.allocate_tensors()
    for value in (60, 70):
        interpreter.input(0)[...] = value
        interpreter.invoke()
        assert_inside(ranges, model, interpreter)


@pytest.mark.parametrize("seed", range(30))
def test_values_in_tflm_lie_in_their_ranges(oracle: Oracle, seed):
    model, tensors = with_all_outputs(network(seed, dtype="int8"))
    ranges = ranges_of(model).tensors
    answer = oracle.run(tflite.write(model), random_steps(model, seed, 6))
    assert answer.status == "ok", answer.log
    for outputs in answer.outputs:
        for index, values in zip(tensors, outputs, strict=True):
            if (0, index) in ranges:
                low, high = ranges[0, index]
                rows = values.reshape(-1, len(low))
                assert (rows >= low).all(), index
                assert (rows <= high).all(), index


@pytest.mark.parametrize("path", shared_models(), ids=lambda path: path.stem)
def test_values_of_real_models_lie_in_their_ranges(path):
    model = ar.load(path)
    if model.inputs[0].type.dtype.kind == "f" or "hybrid" in path.stem:
        pytest.skip("not of integers")
    ranges = ranges_of(model)
    interpreter = HeapInterpreter(model, engine="auto")
    interpreter.allocate_tensors()
    for inputs in random_steps(model, 1, 12):
        for index, values in enumerate(inputs):
            interpreter.input(index)[...] = values
        interpreter.invoke()
        assert_inside(ranges, model, interpreter)
