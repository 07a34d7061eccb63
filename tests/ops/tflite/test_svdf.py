"""SVDF equals TFLM over consecutive inferences, with random sizes, scales and types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.kernel_util import Activation
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, differential, one_operator, refuses
from tests.ops.svdf import svdf
from tests.oracle import Oracle


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    batches, inputs = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    rank, units, memory = (draw(st.integers(1, n)) for n in (3, 5, 8))
    filters = rank * units
    options = SVDFOptions(rank=rank, fused_activation_function=draw(st.integers(0, 5)))
    b = ModelBuilder()
    if kind == "float32":
        x = b.input("x", (batches, inputs), kind)
        feature = b.constant("feature", rng.normal(size=(filters, inputs)).astype(np.float32))
        time = b.constant("time", rng.normal(size=(filters, memory)).astype(np.float32))
        bias = b.constant("bias", rng.normal(size=units).astype(np.float32))
        state = b.variable("state", (batches, filters * memory), kind)
        y = b.tensor("y", (batches, units), kind)
    else:
        wide = draw(st.booleans())

        def scale(low: float, high: float) -> float:
            exponent = rng.uniform(low, high) if wide else rng.uniform(-2.5, -1)
            return float(np.float32(10**exponent))

        def zero() -> int:
            return int(rng.choice([-128, 127, 0, rng.integers(-128, 128)]))

        state_scale, time_scale = scale(-4, 3), scale(-6, 0)
        limits = np.iinfo(kind)
        x = b.input("x", (batches, inputs), "int8", scale=scale(-6, 3), zero_point=zero())
        feature = b.constant(
            "feature",
            rng.integers(-128, 128, (filters, inputs), dtype=np.int8),
            scale=scale(-6, 0),
        )
        time = b.constant(
            "time",
            rng.integers(limits.min, limits.max, (filters, memory), dtype=kind, endpoint=True),
            scale=time_scale,
        )
        bound = 2 ** draw(st.sampled_from([12, 31]))
        bias = b.constant(
            "bias",
            rng.integers(-bound, bound, units).astype(np.int32),
            scale=float(np.float32(state_scale) * np.float32(time_scale)),
        )
        state = b.variable(
            "state",
            (batches, filters * memory),
            kind,
            scale=state_scale,
            zero_point=zero() if kind == "int8" or draw(st.booleans()) else 0,
        )
        y = b.tensor("y", (batches, units), "int8", scale=scale(-4, 3), zero_point=zero())
    return one_operator(b, "SVDF", [x, feature, time, bias, state], [y], options)


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    # TANH is the one function whose last bit depends on the C library.
    exact = model.main.operators[0].options.fused_activation_function != Activation.TANH
    agrees(oracle, model, seed, invokes=5, reset=True, float_rtol=0.0 if exact else 1e-5)


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
def test_equals_tflm_over_20_inferences_and_after_reset(oracle: Oracle, kind: str) -> None:
    assert agrees(oracle, svdf(kind), 0, invokes=20, reset=True).status == "ok"


def test_scales_are_multiplied_as_doubles(oracle: Oracle) -> None:
    # 127 * 33 + 101 = 4292 times 0.491 * 0.273 / 0.263 is 2187.4999 in float32, 2187.5002 in
    # double; the bias takes 2187 away again.
    b = ModelBuilder()
    x = b.input("x", (1, 2), "int8", scale=0.491)
    feature = b.constant("feature", np.array([[33, 1]], np.int8), scale=0.273)
    time = b.constant("time", np.ones((1, 1), np.int16), scale=1.0)
    bias = b.constant("bias", np.array([-2187], np.int32), scale=0.263)
    state = b.variable("state", (1, 1), "int16", scale=0.263)
    y = b.tensor("y", (1, 1), "int8", scale=0.263)
    b.operator("SVDF", [x, feature, time, bias, state], [y], SVDFOptions(1))
    b.output(y)
    answer = agrees(oracle, b.build(), 0, inputs=[np.array([[127, 101]], np.int8)])
    assert answer.outputs[0][0].item() == 1


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
def test_remembers_the_last_inputs_until_reset(kind: str) -> None:
    interpreter = HeapInterpreter(svdf(kind))
    interpreter.allocate_tensors()
    outputs = []
    for _ in range(2):
        for value in (1, 2, 3, 4):
            interpreter.input()[...] = value
            interpreter.invoke()
            outputs.append(interpreter.output().item())
        interpreter.reset()
    # 2 * (oldest + 2 * older + 3 * newest) - newest + 10
    assert outputs == [15, 24, 35, 46] * 2


def test_output_saturates() -> None:
    interpreter = HeapInterpreter(svdf("int8"))
    interpreter.allocate_tensors()
    interpreter.input()[...] = 60
    interpreter.invoke()
    assert interpreter.output().item() == 127


def test_fused_activation_counts_for_floats_only() -> None:
    outputs = []
    for kind in ("float32", "int8"):
        interpreter = HeapInterpreter(svdf(kind, activation=3))
        interpreter.allocate_tensors()
        interpreter.input()[...] = 1
        interpreter.invoke()
        outputs.append(interpreter.output().item())
    assert outputs == [6, 15]


test_refuses = refuses(
    (svdf("int8", rank=0), "The rank is at least 1 and divides the number of filters"),
    (svdf("int8", rank=3), "The rank is at least 1 and divides the number of filters"),
    (svdf("int8", input=(1, 2)), "The shapes fit each other"),
    (svdf("int8", input=(1, 1, 1)), "Input 0 has 2 dimensions"),
    (svdf("int8", time=[[1, 2], [3, 4]]), "The shapes fit each other"),
    (svdf("int8", time=[[], []]), "The shapes fit each other"),
    (svdf("int8", state=(1, 5)), "The shapes fit each other"),
    (svdf("int8", state_type="int16"), "All tensors are float32, or all are integers"),
    (svdf("int8", variable=False), "activation state .* is a variable tensor"),
    (svdf("int8", bias_scale=2.0), "bias's scale must be .* = 1 .* got 2"),
    (svdf("int8", tail=(-1, 4)), "input . is absent; TFLM takes 5"),
    (svdf("int8", tail=(3,)), "has 4 inputs; TFLM takes 5"),
)
