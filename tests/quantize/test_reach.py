"""Masks and ends of clips: constants far beyond what can reach an output take no integers."""

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation.samples import Arrays
from arenite.errors import QuantizationError
from arenite.model import ModelBuilder
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.quantize.reach import brought_near
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees

SHAPE = (1, 8, 8)
CAUSAL = np.tril(np.ones((1, 8, 8), bool))
MASKS = [-np.inf, np.float32(-2.4e38), -1e9, -1e4]


class Net:
    """A builder whose operators are float and have the input's shape."""

    def __init__(self):
        self.b = ModelBuilder()
        self.x = self.b.input("x", SHAPE, "float32")

    def constant(self, value, dtype=np.float32):
        return self.b.constant(f"c{len(self.b._tensors)}", np.asarray(value, dtype))

    def op(self, name, inputs, options=None):
        out = self.b.tensor(f"{name}{len(self.b._tensors)}", SHAPE, "float32")
        self.b.operator(name, inputs, [out], options)
        return out

    def build(self, *outputs):
        for one in outputs:
            self.b.output(one)
        return self.b.build()


def added(mask):
    """``softmax(x + mask)``, as PyTorch writes attention."""
    net = Net()
    far = net.constant(np.where(CAUSAL, 0, np.float32(mask)))
    scores = net.op("ADD", [net.x, far], AddOptions())
    return net.build(net.op("SOFTMAX", [scores], SoftmaxOptions(beta=1.0)))


def selected(mask):
    """``softmax(where(causal, x, mask))``, as Keras writes it."""
    net = Net()
    far, where = net.constant([mask]), net.constant(CAUSAL, bool)
    scores = net.op("SELECT_V2", [where, net.x, far])
    return net.build(net.op("SOFTMAX", [scores], SoftmaxOptions(beta=1.0)))


def multiplied(mask):
    """``softmax(x + (1 - causal) * mask)``, as BERT writes it."""
    net = Net()
    kept = net.constant(CAUSAL)
    left = net.op("SUB", [net.constant([1.0]), net.op("RELU6", [kept])], SubOptions())
    far = net.op("MUL", [left, net.constant([max(mask, -3e38)])], MulOptions())
    scores = net.op("ADD", [net.x, far], AddOptions())
    return net.build(net.op("SOFTMAX", [scores], SoftmaxOptions(beta=1.0)))


def clipped(name, end):
    """``tanh(x)`` under or over an end that it never comes to."""
    net = Net()
    small = net.op("TANH", [net.x])
    return net.build(net.op(name, [small, net.constant([end])], MaximumMinimumOptions()))


FAR = {
    **{f"added {m:g}": added(m) for m in MASKS},
    **{f"selected {m:g}": selected(m) for m in MASKS},
    **{f"multiplied {m:g}": multiplied(m) for m in MASKS},
    "minimum": clipped("MINIMUM", 1e12),
    "minimum of infinity": clipped("MINIMUM", np.inf),
    "maximum": clipped("MAXIMUM", -1e6),
}


def data(count=40, seed=0):
    return np.random.default_rng(seed).normal(0, 2, (count, *SHAPE)).astype(np.float32)


@pytest.fixture(scope="module")
def oracle():
    skip_without_tflm()
    one = Oracle()
    yield one
    one.close()


@pytest.mark.parametrize("kind", FAR)
def test_constants_come_near_and_the_float_model_computes_the_same(kind):
    model = FAR[kind]
    near = brought_near(model, Arrays((data(),)))
    assert len(near.notes) == 1
    values = [t.value for t in near.model.main.tensors if t.is_constant and t.value is not None]
    assert max(np.abs(v).max() for v in values if v.dtype == np.float32) < 100
    x = data(10, seed=1)
    before, after = (ar.Interpreter(one).predict(x) for one in (model, near.model))
    np.testing.assert_allclose(after, before, atol=3e-5)


@pytest.mark.parametrize("kind", FAR)
def test_the_quantised_model_is_near_and_runs_in_tflm(kind, oracle):
    result, report = ar.quantize(FAR[kind], data(), passes=())
    assert report.sqnr > 28
    assert agrees(oracle, result, [data(5, seed=2)]) == "ok"


def test_constants_that_make_a_difference_stay():
    net = Net()
    offset = net.op("ADD", [net.x, net.constant([-1000.0])], AddOptions())
    model = net.build(net.op("MAXIMUM", [offset, net.constant([-1001.0])], MaximumMinimumOptions()))
    assert brought_near(model, Arrays((data(),))).notes == ()


def test_an_infinity_that_reaches_an_output_is_an_error():
    net = Net()
    far = net.constant(np.where(CAUSAL, 0, -np.inf))
    model = net.build(net.op("ADD", [net.x, far], AddOptions()))
    with pytest.raises(QuantizationError, match="infinity"):
        ar.quantize(model, data(), passes=())


def test_values_that_a_softmax_does_not_tell_apart_take_no_integers():
    model = added(-np.inf)
    result, _ = ar.quantize(model, data(), passes=())
    (scores,) = [t for t in result.main.tensors if t.name.startswith("ADD")]
    low = scores.quantization.scale[0] * (-128 - scores.quantization.zero_point[0])
    assert -20 < low < -8
