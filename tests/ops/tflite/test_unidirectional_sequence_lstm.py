"""UNIDIRECTIONAL_SEQUENCE_LSTM equals TFLM over consecutive inferences and after a reset."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.numeric.fixedpoint import (
    multiply_by_quantized_multiplier,
    multiply_by_quantized_multiplier_int64,
)
from arenite.ops.shared.rescaling import Rescaling
from arenite.ops.tflite.unidirectional_sequence_lstm import UnidirectionalSequenceLSTMOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm
from tests.ops.lstm import TANH, lstm
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    limits = {"int8": (-128, 127)}.get(kind, (-300, 300) if draw(st.booleans()) else (0, 0))
    zero = st.integers(*limits) | st.sampled_from(limits)
    batches, steps, inputs, units = (draw(st.integers(1, n)) for n in (3, 6, 9, 9))
    return lstm(
        kind,
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        batches=batches,
        steps=steps,
        inputs=inputs,
        units=units,
        time_major=draw(st.booleans()),
        cell_clip=draw(st.sampled_from([0.0, 0.0, -1.0, 0.3, 1.0, 10.0, 1e6])),
        spread=draw(st.sampled_from([0.5, 2.0])),
        zeros=(draw(zero), draw(zero)),
        activation=draw(st.sampled_from([TANH, TANH, TANH, 0, 1])),
        cell_scale=draw(
            st.sampled_from([2.0**-11, 2.0**-12, 2.0**-15, 2.0**-9, 2.0**-20, 2.0**-3])
            | st.floats(2.0**-20, 2.0**7, width=32)
        ),
    )


test_equals_tflm = equals_tflm(models(), invokes=3, reset=True)


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
def test_equals_tflm_over_20_inferences_and_after_reset(oracle: Oracle, kind: str) -> None:
    model = lstm(kind, np.random.default_rng(0), zeros=(3, -2) if kind == "int8" else (0, 0))
    assert agrees(oracle, model, 0, invokes=20, reset=True).status == "ok"


def test_float_follows_the_formula() -> None:
    model = lstm("float32", np.random.default_rng(0), batches=1, steps=2, cell_clip=0.2)
    values = [tensor.value for tensor in model.main.tensors]
    names = {tensor.name: index for index, tensor in enumerate(model.main.tensors)}
    x = np.random.default_rng(1).normal(size=(2, 4)).astype(np.float32)
    hidden = cell = np.zeros(5)

    def gate(name: str, row: Any) -> Any:
        total = values[names[f"{name} bias"]] + values[names[f"input to {name}"]] @ row
        return total + values[names[f"hidden to {name}"]] @ hidden

    def sigmoid(value: Any) -> Any:
        return 1 / (1 + np.exp(-value))

    expected = []
    for row in x:
        gates = {name: gate(name, row) for name in "ifco"}
        cell = sigmoid(gates["f"]) * cell + sigmoid(gates["i"]) * np.tanh(gates["c"])
        cell = np.clip(cell, -0.2, 0.2)
        hidden = sigmoid(gates["o"]) * np.tanh(cell)
        expected.append(hidden)

    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    interpreter.input()[...] = x
    interpreter.invoke()
    np.testing.assert_allclose(interpreter.output()[0], expected, rtol=1e-5)


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
def test_one_long_sequence_equals_two_short_ones(kind: str) -> None:
    long, short = (
        HeapInterpreter(lstm(kind, np.random.default_rng(2), batches=1, steps=steps))
        for steps in (4, 2)
    )
    x = np.random.default_rng(3).normal(0, 40, (1, 4, 4)).astype(kind)
    for interpreter in (long, short):
        interpreter.allocate_tensors()
    parts = np.concatenate([output_of(short, x[:, :2]), output_of(short, x[:, 2:])], axis=1)
    np.testing.assert_array_equal(output_of(long, x), parts)


def test_the_sequence_may_be_resized() -> None:
    short, long = (
        HeapInterpreter(lstm("int8", np.random.default_rng(2), batches=1, steps=steps))
        for steps in (2, 5)
    )
    x = np.random.default_rng(3).integers(-128, 128, (1, 5, 4), dtype=np.int8)
    short.allocate_tensors()
    output_of(short, x[:, :2])
    short.resize_input(0, x.shape)
    for interpreter in (short, long):
        interpreter.allocate_tensors()
    np.testing.assert_array_equal(output_of(short, x), output_of(long, x))


def output_of(interpreter: HeapInterpreter, x: Any) -> Any:
    interpreter.input()[...] = x
    interpreter.invoke()
    return interpreter.output().copy()


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_equals_tflm_where_everything_saturates(oracle: Oracle, kind: str) -> None:
    # The largest scales make every gate either open or shut.
    weights = {"scale": 100.0}
    model = lstm(kind, np.random.default_rng(4), weights=weights, cell_scale=2.0**-14)
    assert agrees(oracle, model, 0, invokes=5, reset=True).status == "ok"


def test_scales_are_multiplied_as_doubles(oracle: Oracle) -> None:
    # Where the product of 0.8081 and 7.681e-9 is rounded to float32, a bias of 3716969 gives
    # the cell gate one step less. The other gates are open or shut, and the output has the
    # cell's small steps.
    b = ModelBuilder()
    weight = np.zeros((1, 1), np.int8)
    tensors = [b.input("x", (1, 1, 1), "int8", scale=0.8081)]
    tensors += [b.constant(f"weights {n}", weight, scale=7.681e-9) for n in range(8)]
    biases = [2**31 - 1, -(2**31), 3716969, 2**31 - 1]
    tensors += [-1, -1, -1, *(b.constant("bias", np.array([v], np.int32)) for v in biases), -1, -1]
    tensors.append(b.variable("hidden", (1, 1), "int8", scale=2.0**-15))
    tensors.append(b.variable("cell", (1, 1), "int16", scale=2.0**-15))
    y = b.tensor("y", (1, 1, 1), "int8", scale=2.0**-15)
    no_activation = UnidirectionalSequenceLSTMOptions(0)
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", [*tensors, *[-1] * 4], [y], no_activation)
    b.output(y)
    answer = agrees(oracle, b.build(), 0, inputs=[np.zeros((1, 1, 1), np.int8)])
    assert answer.outputs[0][0].item() == 96


@pytest.mark.parametrize("wide", [False, True])
def test_rescaling_equals_the_fixed_point_definition(wide: bool) -> None:
    rng = np.random.default_rng(5)
    exact = multiply_by_quantized_multiplier_int64 if wide else multiply_by_quantized_multiplier
    bound = 2**47 if wide else 2**31
    x = rng.integers(-bound, bound, (50, 39))
    x[:5] = rng.integers(-8, 8, (5, 39))
    multiplier = rng.integers(2**30, 2**31, 39)
    shift = np.arange(-31, 8)
    expected = exact(x, multiplier, shift)
    np.testing.assert_array_equal(Rescaling(multiplier, shift, wide)(x.copy()), expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": 20}, "TFLM takes 24"),
        ({"replace": {9: 1}}, "standard LSTM: without peepholes"),
        ({"replace": {16: 1}}, "standard LSTM: without peepholes"),
        ({"replace": {20: 9}}, "standard LSTM: without peepholes"),
        ({"replace": {1: -1}}, "inputs"),
        ({"replace": {12: 1}}, "All tensors are float32, or activations int8 or int16"),
        ({"cell": "int8"}, "All tensors are float32, or activations int8 or int16"),
        ({"input": (2, 3)}, "Input 0 has 3 dimensions"),
        ({"input": (2, 3, 5)}, "The shapes fit each other"),
        ({"input": (1, 3, 4)}, "The shapes fit each other"),
        ({"variable": False}, "are variable tensors"),
        ({"weights": {"scale": [0.1] * 5}}, "one scale, not one per channel"),
        ({"weights": {"scale": 1e30}}, "must be under 2\\*\\*30"),
        ({"cell_scale": 1e30}, "scale must be between 2\\*\\*-43 and 2\\*\\*17"),
    ],
)
def test_refuses(changes: dict[str, Any], message: str) -> None:
    model = lstm("int8", np.random.default_rng(6), **changes)
    with pytest.raises(ConstraintError, match=message):
        HeapInterpreter(model).allocate_tensors()


def test_refuses_scales_whose_64_bit_sums_cannot_be_shifted() -> None:
    model = lstm("int16", np.random.default_rng(6), zeros=(0, 0), weights={"scale": 1e7})
    with pytest.raises(ConstraintError, match=r"must be under 2\*\*14 where sums have 64 bits"):
        HeapInterpreter(model).allocate_tensors()
