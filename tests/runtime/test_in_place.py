"""Offline plans that lay an output on an input: as TFLM computes it, where that is safe."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import MemoryLimitError, PlanError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops import builtin, builtin_names
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.expand_dims import ExpandDimsOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.squeeze import SqueezeOptions
from arenite.ops.tflite.sub import SubOptions
from arenite.runtime.distances import safe_distances
from tests.ops.overlapping import CASES, inputs_of
from tests.ops.overlapping import planned as laid
from tests.oracle import Oracle
from tests.variants import interpreter, variants

OPTIONS: dict[str, OptionsTable] = {
    "ADD": AddOptions(),
    "SUB": SubOptions(),
    "MUL": MulOptions(),
    "DIV": DivOptions(),
    "MAXIMUM": MaximumMinimumOptions(),
    "MINIMUM": MaximumMinimumOptions(),
    "CAST": CastOptions(),
    "EXPAND_DIMS": ExpandDimsOptions(),
    "LEAKY_RELU": LeakyReluOptions(alpha=0.3),
    "RESHAPE": ReshapeOptions(),
    "SOFTMAX": SoftmaxOptions(beta=1.0),
    "SQUEEZE": SqueezeOptions(),
}
#: Operators on two inputs.
BINARY = (
    *("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "FLOOR_DIV", "FLOOR_MOD"),
    *("SQUARED_DIFFERENCE", "LOGICAL_AND", "LOGICAL_OR"),
)
#: Types that TFLM takes of these, where they are not int8 and float32.
TYPES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"), ("bool",)),
    **dict.fromkeys(("CEIL", "COS", "EXP", "FLOOR", "LOG", "NEG", "ROUND"), ("float32",)),
    **dict.fromkeys(("SIN", "SQRT", "SQUARE", "DIV", "CAST"), ("float32",)),
    **dict.fromkeys(("FLOOR_DIV", "FLOOR_MOD"), ("float32",)),
    **dict.fromkeys(("QUANTIZE", "SELECT_V2"), ("int8",)),
}
#: What these demand of an int8 output.
SCALES = {
    "SOFTMAX": (1 / 256, -128),
    "LOGISTIC": (1 / 256, -128),
    "TANH": (1 / 128, 0),
}
#: Operators with windows, rows and turned axes: :mod:`tests.ops.test_overlap` lays those.
OTHERS = (
    *("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "PAD", "PADV2"),
    *("TRANSPOSE", "FULLY_CONNECTED", "DEQUANTIZE"),
)
EXACT = [
    name
    for name in builtin_names()
    if (one := builtin(name)) is not None and one.overlap is not None and name not in OTHERS
]


def planned(name: str, type: str, shape: tuple[int, ...], second: str) -> Model:  # noqa: A002
    """One operator with its output at the place of input 0.

    ``second`` says what a second input is: ``"same"`` shape, or ``"one"`` value.
    """
    b = ModelBuilder()
    affine: dict[str, Any] = {"scale": 0.05, "zero_point": 3} if type == "int8" else {}
    scale, zero_point = SCALES.get(name, (0.07, -5))
    out: dict[str, Any] = {"scale": scale, "zero_point": zero_point} if affine else {}
    condition = name == "SELECT_V2"
    x = b.input("x", shape, "bool") if condition else b.input("x", shape, type, **affine)
    inputs, offsets = [x], [0]
    target = shape
    if name in BINARY:
        out = affine if name in ("MAXIMUM", "MINIMUM") else out
        inputs.append(b.input("x2", shape if second == "same" else (1,), type, **affine))
        offsets.append(1 << 16)
    elif name == "PRELU":
        alpha = np.full(shape[-1], 5, np.int8 if affine else np.float32)
        alpha = alpha.reshape((1,) * (len(shape) - 1) + shape[-1:])
        inputs.append(b.constant("alpha", alpha, **affine))
        offsets.append(-1)
    elif name == "EXPAND_DIMS":
        out, target = affine, (1, *shape)
        inputs.append(b.constant("axis", np.array(0, np.int32)))
        offsets.append(-1)
    elif name == "DYNAMIC_UPDATE_SLICE":
        out = affine
        update = np.full((1,) * len(shape), 9, np.int8 if affine else np.float32)
        inputs.append(b.constant("update", update, **affine))
        inputs.append(b.constant("starts", np.zeros(len(shape), np.int32)))
        offsets += [-1, -1]
    elif name == "SELECT_V2":
        out = affine
        inputs += [b.input(part, shape, type, **affine) for part in ("x2", "x3")]
        offsets += [1 << 16, 1 << 17]
    elif name in ("RESHAPE", "SQUEEZE"):
        out, target = affine, (shape[1:] if name == "SQUEEZE" else (int(np.prod(shape)),))
    y = b.tensor("y", target, type, **out)
    b.operator(name, inputs, [y], OPTIONS.get(name))
    b.output(y)
    plan = np.array([1, 0, len(offsets) + 1, *offsets, 0], "<i4")
    return b.build(metadata={"OfflineMemoryAllocation": plan.tobytes()})


def values(name: str, type: str, shape: tuple[int, ...], rng: Any) -> Any:  # noqa: A002
    """Legal inputs: no root is one of a negative number."""
    if type == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if type == "float32":
        return rng.normal(0, 2, shape).astype(np.float32)
    x = rng.integers(-128, 128, shape, dtype=np.int8)
    return np.maximum(x, 3) if name == "RSQRT" else x


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize(
    ("name", "type"),
    [(name, type) for name in EXACT for type in TYPES.get(name, ("int8", "float32"))],  # noqa: A001
)
def test_an_output_in_the_place_of_its_input_has_tflms_bits(
    oracle: Oracle,
    name: str,
    type: str,  # noqa: A002
    variant: str,
) -> None:
    rng = np.random.default_rng(1)
    for shape in ((1, 7), (1, 3, 5, 33), (1, 257)):
        for second in ("same", "one"):
            model = planned(name, type, shape, second)
            inputs = [values(name, str(t.type), t.shape, rng) for t in model.inputs]
            answer = oracle.run(tflite.write(model), [inputs])
            assert answer.status == "ok", answer.log
            y = interpreter(model, variant)(*inputs)
            theirs = answer.outputs[0][0]
            rtol = 1e-5 if type == "float32" else 0
            np.testing.assert_allclose(y, theirs, rtol=rtol, atol=1e-6 * (rtol > 0))


def gather_over(tensor: int) -> Model:
    """GATHER with its output on the values, or on the indices."""
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    i = b.input("i", (4,), "int32")
    y = b.tensor("y", (4,), "float32")
    b.operator("GATHER", [x, i], [y], GatherOptions())
    b.output(y)
    plan = np.array([1, 0, 3, 0, 16, 16 * tensor], "<i4")
    return b.build(metadata={"OfflineMemoryAllocation": plan.tobytes()})


@pytest.mark.parametrize("tensor", [0, 1])
def test_an_output_on_what_its_operator_still_reads_is_refused(tensor: int) -> None:
    with pytest.raises(PlanError, match=r"GATHER at \$.subgraphs\[0\].operators\[0\] would write"):
        ar.Interpreter(gather_over(tensor))


def test_an_output_that_begins_behind_its_input_is_refused() -> None:
    model = planned("SOFTMAX", "int8", (1, 32), "same")
    plan = np.array([1, 0, 2, 0, 1], "<i4").tobytes()
    with pytest.raises(PlanError, match="at least 0 bytes above the output, got -1"):
        ar.Interpreter(
            ar.Model(subgraphs=model.subgraphs, metadata={"OfflineMemoryAllocation": plan})
        )


TARGETS = (None, "cortex-m3", "cortex-m4", "cortex-m55")


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("name", CASES)
def test_an_output_as_near_below_its_input_as_the_target_allows_has_the_same_bits(
    name: str, variant: str
) -> None:
    rng = np.random.default_rng(7)
    for number in range(6):
        model = CASES[name](rng)
        inputs = inputs_of(model, rng)
        target = TARGETS[number % 4]
        for _, _, _, index, distance, _ in safe_distances(model, target):
            if index != model.main.operators[0].inputs[0]:
                continue
            right = interpreter(model, variant, target=target)(*inputs)
            near = interpreter(laid(model, distance), variant, target=target)(*inputs)
            assert right.tobytes() == near.tobytes(), f"{distance} bytes on {target}:\n{model}"


def test_no_kernel_of_the_host_sees_what_it_overwrites() -> None:
    """Threads have copies of inputs of their own."""
    model = CASES["conv"](np.random.default_rng(3))
    (_, _, _, _, distance, _), *_ = safe_distances(model)
    near = ar.Interpreter(laid(model, distance))
    batch = np.random.default_rng(1).integers(
        -128, 128, (64, *model.inputs[0].shape[1:]), dtype=np.int8
    )
    one = ar.Interpreter(model)
    right = np.concatenate([one(sample[None]) for sample in batch])
    for threads in (1, 4):
        np.testing.assert_array_equal(near.predict(batch, threads=threads), right)


def test_copies_of_inputs_count_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    model = laid(planned("SOFTMAX", "int8", (1, 4096), "same"), 0)
    monkeypatch.setenv("ARENITE_MEMORY_LIMIT", "7000")
    with pytest.raises(MemoryLimitError, match="copies of inputs under outputs"):
        ar.Interpreter(model, engine="reference")


@pytest.mark.parametrize("name", ["RESHAPE", "SQUEEZE", "EXPAND_DIMS", "DYNAMIC_UPDATE_SLICE"])
@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_what_copies_nothing_in_its_own_place_gets_no_copy(
    name: str, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = planned(name, "int8", (1, 4096), "same")
    monkeypatch.setenv("ARENITE_MEMORY_LIMIT", "7000")
    interp = ar.Interpreter(model, engine=engine)
    interp.input(0)[...] = 5
    assert np.shares_memory(interp.input(0), interp.output(0))
    interp.invoke()
    assert np.count_nonzero(interp.output(0) == 5) >= 4095


# -- a user's kernel says what it allows


def shares(clearance: ar.Clearance | None, distance: int) -> bool:
    """Whether a user's kernel sees its input where it is, ``distance`` bytes above its output."""
    b = ModelBuilder()
    x, y = b.input("x", (64,), "int8"), b.tensor("y", (64,), "int8")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.output(y)
    plan = np.array([1, 0, 2, distance, 0], "<i4").tobytes()
    seen: list[bool] = []

    def invoke(context: Any, node: Any) -> None:
        x, y = (context.get_eval_tensor(i).data for i in (node.inputs[0], node.outputs[0]))
        y[...] = x + 1
        seen.append(np.shares_memory(x, y))

    step = ar.Registration(invoke=invoke, overlap=lambda view, position: clearance)
    model = b.build(metadata={"OfflineMemoryAllocation": plan})
    interp = ar.Interpreter(model, resolver=ar.MutableOpResolver().add_custom("STEP", step))
    assert interp(np.arange(64, dtype=np.int8)).tolist() == list(range(1, 65))
    return seen[-1]


@pytest.mark.parametrize(
    ("clearance", "distance", "in_place"),
    [
        (ar.Clearance(0, 0), 0, True),
        (ar.Clearance(0), 0, False),
        (ar.Clearance(0), 5, False),
        (ar.Clearance(16, 16), 32, False),
        (None, 64, False),
    ],
)
def test_a_users_kernel_runs_where_it_says_that_its_output_may_lie(
    clearance: ar.Clearance | None, distance: int, in_place: bool
) -> None:
    assert shares(clearance, distance) is in_place


@pytest.mark.parametrize(
    ("clearance", "distance", "message"),
    [
        (None, 0, "must keep them apart"),
        (ar.Clearance(0, 0), 5, "both must begin at the same byte, or be apart"),
        (ar.Clearance(8), 5, "at least 8 bytes above the output, got 5"),
        (ar.Clearance(16, 16), 24, "at least 16 bytes, a multiple of 16, above"),
    ],
)
def test_a_users_kernel_does_not_run_elsewhere(
    clearance: ar.Clearance | None, distance: int, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        shares(clearance, distance)
