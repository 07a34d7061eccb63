"""SVDF as CMSIS-NN computes it: where it is TFLM's reference, and the two corners where not."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.analysis.device import device_operators
from arenite.cmsis_nn.arithmetic.svdf import arm_svdf_s8
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target
from tests.ops.differential import differential, random_array

STEPS = 5


def svdf(feature: Any, time: Any, bias: Any, **quantisation: Any) -> Model:
    """Scales are 1 and zero points 0 unless ``state``, ``output`` or ``x`` says otherwise."""
    feature, time = np.array(feature, np.int8), np.asarray(time)
    filters, units = len(feature), len(bias)

    def of(name: str) -> dict[str, Any]:
        return {"scale": 1.0, **quantisation.get(name, {})}

    b = ModelBuilder()
    x = b.input("x", (quantisation.get("batches", 1), feature.shape[1]), "int8", **of("x"))
    batches = quantisation.get("batches", 1)
    inputs = [
        x,
        b.constant("feature", feature, scale=1.0),
        b.constant("time", time, scale=1.0),
        b.constant("bias", np.array(bias, np.int32), scale=of("state")["scale"]),
        b.variable("state", (batches, time.size), str(time.dtype), **of("state")),
    ]
    y = b.tensor("y", (batches, units), "int8", **of("output"))
    b.operator("SVDF", inputs, [y], SVDFOptions(rank=filters // units))
    b.output(y)
    return b.build()


def of_cmsis_nn(model: Model, inputs: list[Any]) -> list[Any]:
    """Outputs of consecutive steps after a reset, which fills the state with its zero point."""
    (operator,) = device_operators(model, Target("cortex-m4"))
    params, tensors = operator.params, operator.view.inputs
    state = np.full(tensors[4].shape, params.state_zero_point, tensors[4].type.dtype)
    weights = [tensor.data for tensor in tensors[1:4]]
    return [arm_svdf_s8(params, x, *weights, state=state) for x in inputs]


def of_reference(model: Model, inputs: list[Any]) -> list[Any]:
    interpreter, outputs = HeapInterpreter(model), []
    interpreter.allocate_tensors()
    for x in inputs:
        interpreter.input(0)[...] = x
        interpreter.invoke()
        outputs.append(interpreter.output(0).copy())
    return outputs


@st.composite
def fitting(draw: st.DrawFn) -> Model:
    """The state's scale is such that it holds every result of a filter."""
    kind = draw(st.sampled_from(["int8", "int16"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size, rank, units, memory = (draw(st.integers(1, n)) for n in (12, 3, 5, 8))
    filters, limit = rank * units, np.iinfo(kind).max
    return svdf(
        rng.integers(-128, 128, (filters, size)),
        rng.integers(-limit, limit, (filters, memory)).astype(kind),
        rng.integers(-1000, 1000, units),
        batches=draw(st.integers(1, 3)),
        x={"zero_point": int(rng.integers(-128, 128))},
        state={"scale": 255.0 * 128 * size / (limit - 1)},
        output={
            "scale": float(np.float32(10 ** rng.uniform(2, 7))),
            "zero_point": int(rng.integers(-128, 128)),
        },
    )


@differential
@given(model=fitting(), seed=st.integers(0, 2**32 - 1))
def test_a_state_that_holds_all_results_gives_the_reference_s_bits(model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = [random_array(model.inputs[0], rng) for _ in range(STEPS)]
    np.testing.assert_array_equal(of_cmsis_nn(model, inputs), of_reference(model, inputs))


def test_a_result_that_int8_does_not_hold_wraps_and_is_saturated_by_the_reference() -> None:
    """2 * 100 = 200 is -56 in 8 bits; an int16 state holds it."""
    model = svdf([[2]], np.ones((1, 1), np.int8), [0])
    x = [np.array([[100]], np.int8)]
    assert of_reference(model, x)[0].item() == 127
    assert of_cmsis_nn(model, x)[0].item() == -56
    wide = svdf([[2]], np.ones((1, 1), np.int16), [0], output={"scale": 2.0})
    assert of_reference(wide, x)[0].item() == of_cmsis_nn(wide, x)[0].item() == 100


def test_the_state_s_zero_point_plays_no_part() -> None:
    """A reset state is full of it, which the reference takes for zeros: 3 + 5 * (1 + 1)."""
    model = svdf([[1]], np.ones((1, 3), np.int8), [0], state={"zero_point": 5})
    x = [np.array([[3]], np.int8)]
    assert of_reference(model, x)[0].item() == 3
    assert of_cmsis_nn(model, x)[0].item() == 3 + 5 + 5


def test_kernels_of_cmsis_nn_compute_what_the_reference_does() -> None:
    model = svdf([[2]], np.ones((1, 1), np.int8), [0])
    micro = MicroInterpreter(model, AllOpsResolver(), 4096, target="cortex-m4")
    micro.allocate_tensors()
    micro.input(0)[...] = 100
    micro.invoke()
    assert micro.output(0).item() == 127
