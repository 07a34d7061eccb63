"""Deliberate errors in the pass that plans: the checks behind it, or the comparison, find each."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import OptimizationError
from arenite.libraries.cmsis_nn.decisions import conv_2d as cmsis_conv
from arenite.libraries.cmsis_nn.decisions import depthwise_conv_2d as cmsis_depthwise
from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.shared import overlap, pad, window_overlap
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite import conv_2d, depthwise_conv_2d, transpose
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.dequantize import DequantizeOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.optimize import planning
from tests.optimize.planned import Patch, conv, ends_ignored, layer, lessened, replaced

# -- models: one layer that wins by overlap, each ------------------------------------------


def depthwise(channels: int = 18) -> Model:
    one = layer()
    x = one.x((1, 8, 8, channels))
    parts = one.weights((1, 3, 3, channels), channels, 3)
    options = DepthwiseConv2DOptions(stride_h=1, stride_w=1, depth_multiplier=1)
    return one.done("DEPTHWISE_CONV_2D", [x, *parts], (1, 8, 8, channels), options)


def pool() -> Model:
    one = layer()
    same = one.quantized(-3)
    x = one.x((1, 8, 8, 18), **same)
    y = one.b.tensor("y", (1, 8, 8, 18), "int8", **same)
    options = Pool2DOptions(stride_h=1, stride_w=1, filter_height=3, filter_width=3)
    return one.finish("AVERAGE_POOL_2D", [x], y, options)


def wider() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 64), "int8", scale=0.1)
    y = b.tensor("y", (1, 64), "float32")
    b.operator("DEQUANTIZE", [x], [y], DequantizeOptions())
    b.output(y)
    return b.build()


def padded() -> Model:
    one = layer()
    same = one.quantized(-3)
    x = one.x((1, 8, 8, 4), **same)
    pads = one.b.constant("pads", np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32))
    y = one.b.tensor("y", (1, 10, 10, 4), "int8", **same)
    return one.finish("PAD", [x, pads], y, PadOptions())


def transposed() -> Model:
    one = layer()
    same = one.quantized(-3)
    x = one.x((6, 40), **same)
    perm = one.b.constant("perm", np.array([1, 0], np.int32))
    y = one.b.tensor("y", (40, 6), "int8", **same)
    return one.finish("TRANSPOSE", [x, perm], y, TransposeOptions())


def residual() -> Model:
    """The input is needed again after the first operator, and the second's output is one."""
    b = ModelBuilder()
    scale: dict[str, Any] = {"scale": 0.1, "zero_point": 0}
    x = b.input("x", (1, 1024), "int8", **scale)
    tensors = [b.tensor(f"t{n}", (1, 1024), "int8", **scale) for n in range(4)]
    b.operator("RELU", [x], [tensors[0]])
    b.operator("ADD", [tensors[0], x], [tensors[1]], AddOptions())
    b.operator("RELU6", [tensors[1]], [tensors[2]])
    b.operator("RELU6", [tensors[2]], [tensors[3]])
    b.output(tensors[1])
    b.output(tensors[3])
    return b.build()


def stateful() -> Model:
    """A variable that keeps what it was, which is added twice."""
    b = ModelBuilder()
    scale: dict[str, Any] = {"scale": 0.1, "zero_point": 0}
    x = b.input("x", (1, 1024), "int8", **scale)
    v = b.variable("v", (1, 1024), "int8", **scale)
    y, z, w = (b.tensor(name, (1, 1024), "int8", **scale) for name in "yzw")
    b.operator("ADD", [x, v], [y], AddOptions())
    b.operator("RELU", [y], [z])
    b.operator("ADD", [z, y], [w], AddOptions())
    b.output(w)
    return b.build()


# -- errors ---------------------------------------------------------------------------------


def variables_placed(m: pytest.MonkeyPatch) -> None:
    right = planning.with_plan

    def wrong(model: Model, offsets: dict[tuple[int, int], int], origin: Any) -> Model:
        variables = [i for i, t in enumerate(model.main.tensors) if t.is_variable]
        return right(model, {**offsets, **{(0, i): 0 for i in variables}}, origin)

    m.setattr(planning, "with_plan", wrong)


def turned_around(m: pytest.MonkeyPatch) -> None:
    """Offsets of the tensors in the wrong order."""
    right = planning.with_plan

    def wrong(model: Model, offsets: dict[tuple[int, int], int], origin: Any) -> Model:
        values = [offsets[key] for key in sorted(offsets)][::-1]
        return right(model, dict(zip(sorted(offsets), values, strict=True)), origin)

    m.setattr(planning, "with_plan", wrong)


def one_position_early(m: pytest.MonkeyPatch) -> None:
    right = window_overlap.Axis.last_positions

    def wrong(self: Any) -> Any:
        return np.maximum(right(self) - 1, 0)

    m.setattr(window_overlap.Axis, "last_positions", wrong)


MUTATIONS: dict[str, tuple[Callable[[], Model], str | None, Patch]] = {
    "pointwise, one byte less": (conv, None, lessened(conv_2d, "position_by_position", 1)),
    "3 x 3, a pixel less": (lambda: conv(3), None, lessened(conv_2d, "position_by_position", 18)),
    "depthwise, a channel less": (
        depthwise,
        None,
        lessened(depthwise_conv_2d, "channel_by_channel", 18),
    ),
    "windows that end a position early": (pool, None, one_position_early),
    "wide elements as narrow ones": (wider, None, replaced(overlap, "element_bytes", lambda t: 1)),
    "padding that is not counted": (padded, None, replaced(pad, "element_bytes", lambda t: 0)),
    "axes that stay": (transposed, None, replaced(transpose, "element_bytes", lambda t: 0)),
    "pixel by pixel on a Cortex-M4": (
        lambda: conv(channels=8),
        "cortex-m4",
        replaced(cmsis_conv, "_product", lambda row, rows, channels, target: row * channels),
    ),
    "eight pixels at a time with vectors": (
        lambda: conv(3),
        "cortex-m55",
        lessened(cmsis_conv, "_group_by_group", 40),
    ),
    "blocks of channels taken as one": (
        lambda: depthwise(130),
        "cortex-m55",
        replaced(cmsis_depthwise, "CH_IN_BLOCK_MVE", 1000),
    ),
    "inputs that are read later": (residual, None, ends_ignored),
    "variables in the plan": (stateful, None, variables_placed),
    "offsets in the wrong order": (residual, None, turned_around),
}


#: Where a right plan wins nothing, and a wrong one would.
NOTHING_TO_WIN = ("pixel by pixel on a Cortex-M4", "blocks of channels taken as one")


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_deliberate_error_gives_no_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, target, mutate = MUTATIONS[name]
    model = make()
    right, _ = ar.optimize(model, target, only=["plan"], overlap="target")
    assert (OFFLINE_METADATA in right.metadata) == (name not in NOTHING_TO_WIN)
    mutate(monkeypatch)
    try:
        found, report = ar.optimize(model, target, only=["plan"], overlap="target")
    except OptimizationError:
        return
    assert found is model, report
    (note,) = report.declined
    assert "the best plan" not in note.text, "the error has changed nothing"


def test_views_of_views_are_one_group():
    views = [planning.Pair(output, output - 1, 0, 0) for output in (2, 1, 4)]
    assert planning._groups(6, views) == [0, 0, 0, 3, 3, 5]
