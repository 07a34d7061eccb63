"""Folding: what is exactly equal is fused or taken out, everything else stays with a reason."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, Quantization
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.tflite.mirror_pad import MirrorPadOptions
from arenite.optimize.outcome import Outcome
from arenite.optimize.passes.fold import fold
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from tests.optimize.layers import Layers, Value
from tests.optimize.networks import network

SETTINGS = Settings()
Build = Callable[[Layers, Value], Value]


class Apart(Layers):
    """Layers whose values go beyond zero and six, so that clamps do something."""

    def _zero(self) -> int:
        return 5

    def _scale(self) -> float:
        return 0.1


def folded(build: Build, kind: str = "int8", shape: tuple[int, ...] = (1, 6, 6, 3)) -> Outcome:
    """Fold a model of an input, what ``build`` adds, and an output; check that it is the same."""
    net = Apart(0, kind)
    net.output(build(net, net.input(*shape)))
    return checked(net.build())


def checked(model: Model) -> Outcome:
    outcome = fold(model, SETTINGS)
    if outcome.model is not model:
        verify(model, outcome.model, SETTINGS, 4)
    return outcome


def names(outcome: Outcome) -> list[str]:
    return [operator.name for operator in outcome.model.main.operators]


def activation(outcome: Outcome, number: int = 0) -> int:
    options: Any = outcome.model.main.operators[number].options
    return int(options.fused_activation_function)


def why(outcome: Outcome) -> str:
    return "; ".join(note.text for note in outcome.declined)


# -- clamps --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "number"), [("RELU", 1), ("RELU6", 3)])
@pytest.mark.parametrize("kind", ["int8", "float32"])
def test_a_clamp_becomes_the_activation_of_a_convolution(name, number, kind):
    outcome = folded(lambda net, x: net.relu(net.conv(x, 4), name), kind)
    assert names(outcome) == ["CONV_2D"]
    assert activation(outcome) == number


@pytest.mark.parametrize("name", ["depthwise", "dense", "add", "mul", "pool"])
def test_a_clamp_becomes_the_activation_of_other_layers(name):
    layers: dict[str, Build] = {
        "depthwise": lambda net, x: net.depthwise(x),
        "dense": lambda net, x: net.dense(x, 5),
        "add": lambda net, x: net.add(x, x),
        "mul": lambda net, x: net.mul(x, x),
        "pool": lambda net, x: net.pool(x),
    }
    outcome = folded(lambda net, x: net.relu(layers[name](net, x)))
    assert len(names(outcome)) == 1
    assert activation(outcome) == 1


def test_a_maximum_with_the_zero_point_is_a_relu():
    outcome = folded(lambda net, x: _bound(net, net.add(x, x), "MAXIMUM"))
    assert names(outcome) == ["ADD"]
    assert activation(outcome) == 1


def _bound(net: Layers, x: Value, name: str) -> Value:
    return net.bound(x, name, x.zero)


def test_two_clamps_become_one_activation():
    outcome = folded(lambda net, x: net.relu(net.relu(net.conv(x, 4), "RELU6"), "RELU"))
    assert names(outcome) == ["CONV_2D"]
    assert activation(outcome) == 3


def test_a_clamp_that_rescales_stays():
    outcome = folded(lambda net, x: net.relu(net.conv(x, 4), same=False))
    assert names(outcome) == ["CONV_2D", "RELU"]
    assert "another quantisation" in why(outcome)


def test_a_clamp_stays_where_others_read_what_it_clamps():
    def build(net: Layers, x: Value) -> Value:
        y = net.add(x, x, name="SUB")
        return net.add(y, net.relu(y))

    outcome = folded(build)
    assert names(outcome) == ["SUB", "RELU", "ADD"]
    assert "needed elsewhere" in why(outcome)


def test_a_clamp_without_an_activation_of_its_bounds_stays():
    outcome = folded(lambda net, x: net.bound(net.add(x, x), "MINIMUM", 17))
    assert names(outcome) == ["ADD", "MINIMUM"]
    assert "no activation has the bounds -128 to 17" in why(outcome)


@pytest.mark.parametrize("name", ["MAXIMUM", "MINIMUM"])
def test_floats_are_not_clamped_where_nan_would_come_out_otherwise(name):
    outcome = folded(lambda net, x: net.bound(net.conv(x, 4), name, 0), "float32")
    assert names(outcome) == ["CONV_2D", name]
    assert "NaN" in why(outcome)


def test_sums_of_floats_may_be_minus_zero_and_are_not_clamped():
    outcome = folded(lambda net, x: net.relu(net.add(x, x)), "float32")
    assert names(outcome) == ["ADD", "RELU"]


# -- paddings ------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["conv", "depthwise"])
@pytest.mark.parametrize("kind", ["int8", "float32"])
@pytest.mark.parametrize(
    ("pads", "stride", "scheme"),
    [
        (((1, 1), (1, 1)), 1, 0),
        (((0, 1), (0, 1)), 2, 0),  # 6 elements, stride 2: SAME pads behind only
        (((1, 1), (1, 1)), 2, None),
        (((1, 0), (1, 1)), 1, None),
        (((0, 0), (0, 0)), 1, 1),
    ],
)
def test_a_padding_goes_where_same_or_valid_says_the_same(layer, kind, pads, stride, scheme):
    def build(net: Layers, x: Value) -> Value:
        padded = net.pad(x, ((0, 0), *pads, (0, 0)))
        if layer == "conv":
            return net.conv(padded, 4, stride=stride, padding=1)
        return net.depthwise(padded, stride=stride, padding=1)

    outcome = folded(build, kind)
    if scheme is None:
        assert names(outcome)[0] == "PAD"
        assert "neither SAME nor VALID" in why(outcome)
    else:
        (operator,) = outcome.model.main.operators
        options: Any = operator.options
        assert options.padding == scheme


def test_padding_of_channels_stays():
    outcome = folded(
        lambda net, x: net.conv(net.pad(x, ((0, 0), (1, 1), (1, 1), (0, 1))), 4, padding=1)
    )
    assert names(outcome) == ["PAD", "CONV_2D"]
    assert "images or channels" in why(outcome)


def test_padding_that_others_read_stays():
    def build(net: Layers, x: Value) -> Value:
        padded = net.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        return net.concat([net.conv(padded, 2), padded])

    outcome = folded(build)
    assert names(outcome)[0] == "PAD"
    assert "reads" in why(outcome)


def test_padding_of_floats_stays_before_infinite_weights():
    net = Layers(0, "float32")
    x = net.input(1, 4, 4, 1)
    y = net.conv(net.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), 1, padding=1)
    net.output(y)
    model = net.build()
    tensors = list(model.main.tensors)
    index = model.main.operators[1].inputs[1]
    value = tensors[index].value
    assert value is not None
    infinite = np.full(value.shape, np.inf, np.float32).reshape(-1).view(np.uint8)
    tensors[index] = replace(tensors[index], data=infinite)
    outcome = fold(
        replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),)), SETTINGS
    )
    assert names(outcome) == ["PAD", "CONV_2D"]
    assert "infinite" in why(outcome)


# -- operators that do nothing -----------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda net, x: net.reshape(x, x.shape),
        lambda net, x: net.quantize(x, x.scale, x.zero),
        lambda net, x: net.transpose(x, (0, 1, 2, 3)),
        lambda net, x: net.pad(x, ((0, 0),) * 4),
        lambda net, x: net.cut(x, (0, 0, 0, 0), (-1, -1, -1, -1)),
        lambda net, x: net.concat([x]),
        lambda net, x: net.bound(x, "MAXIMUM", -128),
        lambda net, x: net.split(x, 1, 3)[0],
    ],
    ids=["reshape", "quantize", "transpose", "pad", "slice", "concat", "maximum", "split"],
)
@pytest.mark.parametrize("at", ["middle", "end"])
def test_what_does_nothing_goes(build, at):
    def around(net: Layers, x: Value) -> Value:
        y = build(net, net.conv(x, 3))
        return net.softmax(y) if at == "middle" else y

    assert names(folded(around)) == ["CONV_2D", "SOFTMAX"][: 2 if at == "middle" else 1]


def test_a_copy_from_input_to_output_stays():
    outcome = folded(lambda net, x: net.reshape(x, x.shape))
    assert names(outcome) == ["RESHAPE"]
    assert "makes the output" in why(outcome)


def test_transpositions_and_their_inverse_go():
    def build(net: Layers, x: Value) -> Value:
        return net.softmax(net.transpose(net.transpose(x, (0, 3, 1, 2)), (0, 2, 3, 1)))

    assert names(folded(build)) == ["SOFTMAX"]


def test_two_transpositions_are_one():
    def build(net: Layers, x: Value) -> Value:
        return net.transpose(net.transpose(x, (0, 3, 1, 2)), (0, 3, 1, 2))

    outcome = folded(build)
    assert names(outcome) == ["TRANSPOSE"]
    assert "joined" in outcome.model.main.tensors[outcome.model.main.operators[0].inputs[1]].name


def test_a_dense_layer_needs_no_reshape():
    outcome = folded(lambda net, x: net.dense(net.reshape(x, (1, 108)), 4))
    dense = outcome.model.main.operators[-1]
    assert dense.inputs[0] == outcome.model.main.inputs[0]


# -- requantisations ---------------------------------------------------------------------------


def test_requantisations_that_lose_nothing_between_are_one():
    def build(net: Layers, x: Value) -> Value:
        return net.quantize(net.quantize(x, x.scale, x.zero), x.scale * 2, 3)

    assert names(folded(build)) == ["QUANTIZE"]


def test_requantisations_that_round_between_stay():
    def build(net: Layers, x: Value) -> Value:
        return net.quantize(net.quantize(x, x.scale * 3, 0), x.scale, x.zero)

    outcome = folded(build)
    assert names(outcome) == ["QUANTIZE", "QUANTIZE"]
    assert "values would be others" in why(outcome)


# -- constants ---------------------------------------------------------------------------------


def test_what_is_computed_from_constants_becomes_one():
    def build(net: Layers, x: Value) -> Value:
        part = net.add(net.values(x.shape, 0.1, 0), net.values(x.shape, 0.1, 0))
        return net.add(x, net.reshape(part, x.shape))

    assert names(folded(build)) == ["ADD"]


def test_sums_of_float_constants_stay():
    def build(net: Layers, x: Value) -> Value:
        return net.add(x, net.add(net.values(x.shape, 0, 0), net.values(x.shape, 0, 0)))

    outcome = folded(build, "float32")
    assert names(outcome) == ["ADD", "ADD"]
    assert "round floats" in why(outcome)


def moved(name: str) -> ar.Model:
    """y = x + a constant of floats that an operator moves."""
    b = ar.ModelBuilder()
    shape, second, options = MOVES[name]
    x, a = b.input("x", (4, 4, 4, 1), "float32"), np.arange(np.prod(shape), dtype=np.float32)
    m, y = (b.tensor(one, (4, 4, 4, 1), "float32") for one in "my")
    others = [b.constant(f"c{n}", np.array(one, np.int32)) for n, one in enumerate(second)]
    b.operator(name, [b.constant("a", a.reshape(shape)), *others], [m], options)
    b.operator("ADD", [x, m], [y])
    b.output(y)
    return b.build()


#: The shape of what is moved to [4, 4, 4, 1], the other inputs, the options.
MOVES = {
    "SPACE_TO_BATCH_ND": ((1, 8, 8, 1), ([2, 2], [[0, 0], [0, 0]]), None),
    "BATCH_TO_SPACE_ND": ((16, 2, 2, 1), ([2, 2], [[0, 0], [0, 0]]), None),
    "MIRROR_PAD": ((4, 2, 2, 1), ([[0, 0], [1, 1], [1, 1], [0, 0]],), MirrorPadOptions(0)),
    "RESIZE_NEAREST_NEIGHBOR": ((4, 2, 2, 1), ([4, 4],), None),
}


@pytest.mark.parametrize("name", MOVES)
def test_floats_that_are_only_moved_become_a_constant(name):
    model = moved(name)
    outcome = fold(model, SETTINGS)
    assert names(outcome) == ["ADD"]
    x = np.random.default_rng(0).normal(size=(4, 4, 4, 1)).astype(np.float32)
    np.testing.assert_array_equal(ar.Interpreter(outcome.model)(x), ar.Interpreter(model)(x))


# -- whole models ------------------------------------------------------------------------------


def test_a_model_with_a_memory_plan_stays_as_it_is():
    model = replace(network(1), metadata={OFFLINE_METADATA: b"plan"})
    outcome = fold(model, SETTINGS)
    assert outcome.model is model
    assert "memory plan" in why(outcome)


def test_a_variable_is_not_read_in_place_of_its_copy():
    net = Layers(0)
    x = net.input(1, 4)
    state = net.b.variable("state", (1, 4), "int8", scale=x.scale, zero_point=x.zero)
    copy = net.reshape(Value(state, (1, 4), x.scale, x.zero), (1, 4))
    net.output(net.add(x, copy))
    outcome = fold(net.build(), SETTINGS)
    assert names(outcome) == ["RESHAPE", "ADD"]
    assert "variable" in why(outcome)


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_stay_the_same(seed):
    checked(network(seed))


def test_a_hundred_thousand_operators_take_seconds():
    net = Layers(0)
    x = net.input(1, 2)
    x = net.dense(x, 2)
    first = net.reshape(x, x.shape)
    net.output(net.softmax(first))
    model = net.build()
    reshape, softmax = model.main.operators[1], model.main.operators[2]
    tensors, operators = list(model.main.tensors), [model.main.operators[0]]
    last = reshape.inputs[0]
    for _ in range(20_000):
        tensors.append(tensors[reshape.outputs[0]])
        operators.append(
            replace(reshape, inputs=(last, reshape.inputs[1]), outputs=(len(tensors) - 1,))
        )
        last = len(tensors) - 1
    operators.append(replace(softmax, inputs=(last,)))
    main = replace(model.main, tensors=tuple(tensors), operators=tuple(operators))
    outcome = fold(replace(model, subgraphs=(main,)), SETTINGS)
    assert names(outcome) == ["FULLY_CONNECTED", "SOFTMAX"]


def test_quantisation_of_several_zero_points_is_looked_at():
    net = Layers(0)
    x = net.conv(net.input(1, 4, 4, 2), 2)
    y = net.quantize(x, x.scale, x.zero)
    net.output(net.softmax(y))
    model = net.build()
    tensors = list(model.main.tensors)
    other = Quantization(np.float32([x.scale, x.scale]), np.array([x.zero, 0]), 3)
    tensors[y.index] = replace(tensors[y.index], quantization=other)
    outcome = fold(
        replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),)), SETTINGS
    )
    assert "QUANTIZE" in names(outcome)


@pytest.mark.parametrize("name", ["ADD", "MUL"])
def test_float_constants_that_stay_stop_no_other_pass(name):
    net = Layers(0, "float32")
    x = net.input(1, 4)
    a, b = net.values(x.shape, 0, 0), net.values(x.shape, 0, 0)
    net.output(net.add(x, net.add(a, b) if name == "ADD" else net.mul(a, b)))
    result, _ = ar.optimize(net.build(), verify=2)
    assert len(result.main.operators) == 2
