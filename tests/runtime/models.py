"""Small models and operators for tests of the interpreters."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, SignatureDef
from arenite.ops import MutableOpResolver, Registration
from arenite.ops.context import Context, Node
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.svdf import SVDFOptions


def conv_model(seed: int = 0, size: int = 8) -> Model:
    """Two quantised convolutions: int8 (1, size, size, 3) to (1, size, size, 2)."""
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    last = b.input("image", (1, size, size, 3), "int8", scale=0.1, zero_point=3)
    for number, (depth, filters) in enumerate([(3, 4), (4, 2)]):
        w = rng.integers(-127, 128, (filters, 3, 3, depth), dtype=np.int8)
        bias = rng.integers(-500, 500, filters, dtype=np.int32)
        weights = b.constant(f"w{number}", w, scale=[0.01] * filters)
        biases = b.constant(f"b{number}", bias, scale=[0.001] * filters)
        after = b.tensor(f"y{number}", (1, size, size, filters), "int8", scale=0.2, zero_point=-3)
        b.operator("CONV_2D", [last, weights, biases], [after], Conv2DOptions(0, 1, 1))
        last = after
    b.output(last)
    return b.build()


def halves_of_a_sum() -> Model:
    """Two inputs, two outputs, all native: the halves of ``a + b``."""
    b = ModelBuilder()
    left = b.input("left", (1, 4), "float32")
    right = b.input("right", (1, 4), "float32")
    total = b.tensor("total", (1, 4), "float32")
    b.operator("ADD", [left, right], [total], AddOptions())
    halves = [b.tensor(name, (1, 2), "float32") for name in ("first", "second")]
    axis = b.constant("axis", np.array(1, np.int32))
    b.operator("SPLIT", [axis, total], halves, SplitOptions(2))
    for half in halves:
        b.output(half)
    return b.build()


def sums_of_products() -> Model:
    """64 sums of 200 products of floats, ``x`` to ``y``: their last bits depend on the order."""
    b = ModelBuilder()
    rng = np.random.default_rng(0)
    x = b.input("x", (1, 200), "float32")
    w = b.constant("w", (rng.integers(-1000, 1000, (64, 200)) / 777).astype(np.float32))
    y = b.tensor("y", (1, 64), "float32")
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


def memory_of_three() -> Model:
    """SVDF: ``y = x + 2 * before + 4 * before that``, with the memory in a variable."""
    b = ModelBuilder()
    x = b.input("x", (1, 1), "float32")
    feature = b.constant("feature", np.ones((1, 1), np.float32))
    time = b.constant("time", np.array([[4, 2, 1]], np.float32))
    bias = b.constant("bias", np.zeros(1, np.float32))
    state = b.variable("state", (1, 3), "float32")
    y = b.tensor("y", (1, 1), "float32")
    b.operator("SVDF", [x, feature, time, bias, state], [y], SVDFOptions(1))
    b.output(y)
    return b.build()


def image(seed: int = 0, size: int = 8) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-128, 128, (1, size, size, 3), dtype=np.int8)


def copy(context: Context, node: Node) -> None:
    """``out = in``."""
    source = context.get_eval_tensor(node.inputs[0]).data
    target = context.get_eval_tensor(node.outputs[0]).data
    assert source is not None
    assert target is not None
    target[...] = source


def custom_chain(length: int = 1, size: int = 16, name: str = "STEP") -> Model:
    """``length`` custom operators called ``name`` over int8 tensors of ``size`` elements."""
    b = ModelBuilder()
    last = b.input("t0", (size,), "int8")
    for number in range(length):
        after = b.tensor(f"t{number + 1}", (size,), "int8")
        b.operator(name, [last], [after], custom_options=b"")
        last = after
    b.output(last)
    return b.build()


def resolver_with(
    name: str = "STEP",
    *,
    init: Callable[[Context, Any], Any] | None = None,
    prepare: Callable[[Context, Node], Any] | None = None,
    invoke: Callable[[Context, Node], None] = copy,
    reset: Callable[[Context, Any], None] | None = None,
    free: Callable[[Context, Any], None] | None = None,
) -> MutableOpResolver:
    """A resolver with one custom operator, which copies unless told otherwise."""
    registration = Registration(invoke=invoke, prepare=prepare, init=init, reset=reset, free=free)
    return MutableOpResolver().add_custom(name, registration)


def total() -> Model:
    """The sum of a float32 vector (1), a tensor without dimensions, as a signature."""
    b = ModelBuilder()
    x, y = b.input("x", (1,), "float32"), b.tensor("y", (), "float32")
    axis = b.constant("axis", np.array([0], np.int32))
    b.operator("SUM", [x, axis], [y], ReducerOptions(keep_dims=False))
    b.output(y)
    return replace(b.build(), signatures=(SignatureDef("total", {"x": x}, {"y": y}),))
