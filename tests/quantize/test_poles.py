"""Quotients: integers where the divisor keeps away from zero, and no error that is new."""

import numpy as np
import pytest

import arenite as ar
from arenite.model import ModelBuilder
from arenite.model.types import FLOAT32, INT8
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.mul import MulOptions
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees

SHAPE = (1, 8)


@pytest.fixture(scope="module")
def oracle():
    skip_without_tflm()
    one = Oracle()
    yield one
    one.close()


def quotient():
    """``tanh(a) / |b|``: the divisor is made by an operator that serves it alone."""
    b = ModelBuilder()
    x, y = (b.input(name, SHAPE, "float32") for name in "ab")
    top, under, out = (b.tensor(name, SHAPE, "float32") for name in ("top", "under", "out"))
    b.operator("TANH", [x], [top])
    b.operator("ABS", [y], [under])
    b.operator("DIV", [top, under], [out], DivOptions())
    b.output(out)
    return b.build()


def root():
    """``relu(a) / sqrt(b)``."""
    b = ModelBuilder()
    x, y = (b.input(name, SHAPE, "float32") for name in "ab")
    top, under, out = (b.tensor(name, SHAPE, "float32") for name in ("top", "under", "out"))
    b.operator("RELU", [x], [top])
    b.operator("RSQRT", [y], [under])
    b.operator("MUL", [top, under], [out], MulOptions())
    b.output(out)
    return b.build()


def data(low, high, seed=0):
    """Samples for both inputs, the second one's from ``low`` to ``high``."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(40, *SHAPE)).astype(np.float32),
        rng.uniform(low, high, (40, *SHAPE)).astype(np.float32),
    ]


def kinds(model):
    """What each operator's output is."""
    main = model.main
    return {op.name: main.tensors[op.outputs[0]].type for op in main.operators}


def wide(model, seed=1):
    """Real numbers for all inputs far beyond the samples: every integer comes out of them."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-8, 8, (30, *t.shape)).astype(np.float32) for t in model.inputs]


@pytest.mark.parametrize(("low", "high"), [(1, 2), (5, 6), (-2, -1)])
def test_a_divisor_away_from_zero_is_an_integer(low, high, oracle):
    result, report = ar.quantize(quotient(), data(low, high), passes=(), accept=True)
    assert kinds(result)["DIV"] is INT8
    assert report.sqnr > 30
    assert agrees(oracle, result, wide(result)) == "ok"


@pytest.mark.parametrize(("low", "high"), [(0.001, 2), (0, 1), (-1, 1), (-2, -0.1)])
def test_a_divisor_near_zero_stays_float_and_what_makes_it_as_well(low, high, oracle):
    result, report = ar.quantize(quotient(), data(low, high), passes=(), accept=True)
    assert kinds(result)["DIV"] is FLOAT32
    assert kinds(result)["ABS"] is FLOAT32
    assert kinds(result)["TANH"] is INT8
    assert [one.name for one in report.floating] == ["ABS", "DIV"]
    assert "steps of int8 from zero" in report.floating[1].reason
    assert agrees(oracle, result, wide(result)) == "ok"


@pytest.mark.parametrize("model", [quotient(), root()])
def test_no_input_is_an_error_that_the_float_model_takes(model):
    result, _ = ar.quantize(model, data(1, 2), passes=(), accept=True)
    run = ar.Interpreter(result)
    for values in np.arange(-128, 128, dtype=np.int8):  # 0 among them
        run(*(np.full(t.shape, values) for t in result.inputs))


def test_a_divisor_below_zero_is_kept_from_above():
    b = ModelBuilder()
    x, y = (b.input(name, SHAPE, "float32") for name in "ab")
    out = b.tensor("out", SHAPE, "float32")
    b.operator("DIV", [x, y], [out], DivOptions())
    b.output(out)
    result, _ = ar.quantize(b.build(), data(-6, -5), passes=(), accept=True)
    assert "MINIMUM" in kinds(result)
    run = ar.Interpreter(result)
    run(*(np.full(SHAPE, 127, np.int8) for _ in range(2)))


@pytest.mark.parametrize(("low", "kind"), [(1.0, INT8), (0.001, FLOAT32)])
def test_roots_in_a_divisor_are_treated_alike(low, kind, oracle):
    result, report = ar.quantize(root(), data(low, 2), passes=(), accept=True)
    assert kinds(result)["RSQRT"] is kind
    assert report.sqnr > 20
    assert agrees(oracle, result, wide(result)) == "ok"


def test_a_floor_that_is_too_low_for_integers_is_kept_in_float():
    b = ModelBuilder()
    x, y = (b.input(name, SHAPE, "float32") for name in "ab")
    least = b.constant("least", np.full((1, 1), 1e-8, np.float32))
    under, out = (b.tensor(name, SHAPE, "float32") for name in ("under", "out"))
    b.operator("MAXIMUM", [y, least], [under], MaximumMinimumOptions())
    b.operator("DIV", [x, under], [out], DivOptions())
    z = b.tensor("z", SHAPE, "float32")
    b.operator("TANH", [out], [z])
    b.output(z)
    model = b.build()
    result, _ = ar.quantize(model, data(0.01, 2), passes=(), accept=True)
    assert kinds(result)["MAXIMUM"] is FLOAT32
    zeros = [np.full(t.shape, t.quantization.zero_point[0], np.int8) for t in result.inputs]
    assert np.isfinite(ar.Interpreter(result)(*zeros)).all()


def test_quotients_by_constants_become_products():
    b = ModelBuilder()
    x = b.input("x", SHAPE, "float32")
    divisors = b.constant("c", np.linspace(0.1, 4, 8, dtype=np.float32).reshape(SHAPE))
    y = b.tensor("y", SHAPE, "float32")
    b.operator("DIV", [x, divisors], [y], DivOptions())
    b.output(y)
    model = b.build()
    result, report = ar.quantize(model, data(0, 1)[0], passes=(), accept=True)
    assert set(kinds(result)) == {"MUL"}
    assert report.sqnr > 30


def test_values_that_become_places_stay_float():
    """``cast(floor(4 * tanh(x)))``: a step of int8 would be a wrong place now and then."""
    b = ModelBuilder()
    x = b.input("x", SHAPE, "float32")
    names = ("bent", "wide", "whole", "out")
    bent, wide, whole, out = (b.tensor(name, SHAPE, "float32") for name in names)
    place = b.tensor("place", SHAPE, "int32")
    b.operator("TANH", [x], [bent])
    b.operator("MUL", [bent, b.constant("4", np.full((1,), 4, np.float32))], [wide], MulOptions())
    b.operator("FLOOR", [wide], [whole])
    b.operator("CAST", [whole], [place], CastOptions())
    b.operator("LOGISTIC", [x], [out])
    b.output(place)
    b.output(out)
    model, samples = b.build(), data(0, 1)[0]
    result, report = ar.quantize(model, samples, passes=(), io="float")
    assert kinds(result)["TANH"] is FLOAT32
    assert kinds(result)["LOGISTIC"] is INT8
    assert "needs its values exactly" in report.floating[0].reason
    before, after = (ar.Interpreter(one).predict(samples)[0] for one in (model, result))
    assert (before != after).mean() < 0.02


@pytest.mark.parametrize("name", ["EQUAL", "NOT_EQUAL"])
def test_comparisons_for_equality_stay_float(name):
    b = ModelBuilder()
    x = b.input("x", SHAPE, "float32")
    out, same = b.tensor("out", SHAPE, "float32"), b.tensor("same", SHAPE, "bool")
    b.operator("RELU", [x], [out])
    b.operator(name, [x, b.constant("c", np.full((1,), 3, np.float32))], [same])
    b.output(out)
    b.output(same)
    whole = np.random.default_rng(0).integers(-9, 9, (40, *SHAPE)).astype(np.float32)
    result, report = ar.quantize(b.build(), whole, passes=(), accept=True)
    assert [one.name for one in report.floating] == [name]
    found = ar.Interpreter(result).predict(whole, quantize=True)[1]
    assert found.dtype == bool
