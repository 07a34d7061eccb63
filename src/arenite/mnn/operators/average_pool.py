"""MNN_AVERAGE_POOL: the mean of every window of int8 images, cut off as MNN cuts it off.

``q = ((sum(x + 128) * (2**24 // count)) >> 24) - 128``, where ``count`` is that of the elements
that lie inside the image. Facts: MNN 3.6.1 ``backend/cpu/CPUPoolInt8.cpp``,
``x86_x64/FunctionDispatcher.cpp`` (``MNNAvgPoolUint8``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration
from arenite.ops.shared.placed import PlacedPool2DOptions
from arenite.ops.shared.pooling import Pool2DParams, SlidingReduction
from arenite.ops.shared.window import Window, window_of

_BITS = 24


@dataclass(frozen=True)
class MnnAveragePoolOptions(PlacedPool2DOptions):
    """The window, whose positions are given."""


def prepare(context: Context, node: Node) -> Pool2DParams:
    """Geometry and output shape."""
    options: MnnAveragePoolOptions = node.options
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    window = window_of(context, options, inp.shape, (options.filter_height, options.filter_width))
    if min(counts(window, inp.shape).min(initial=1), 1) < 1:
        context.report_error(f"a window lies outside of the image {list(inp.shape)}")
    context.resize_tensor(output.index, (inp.shape[0], *window.output_size, inp.shape[3]))
    return Pool2DParams(window, -128, 127)


def invoke(context: Context, node: Node) -> None:
    """The means."""
    params: Pool2DParams = node.params
    window = params.window
    x, out = input_array(context, node, 0), output_array(context, node)
    if not out.size:
        return
    if "sums" not in node.host:
        node.host["sums"] = SlidingReduction(window, x, np.int32, 0, np.add)
        node.host["counts"] = counts(window, x.shape)
    number: Array = node.host["counts"]
    sums = node.host["sums"](x) + np.int64(128) * number
    out[...] = (sums * ((1 << _BITS) // number) >> _BITS) - 128


def counts(window: Window, shape: tuple[int, ...]) -> Array:
    """Elements of the image in each window, ``(oh, ow, 1)``."""
    down, across = (inside(window, axis, shape[axis + 1]) for axis in range(2))
    return np.asarray(down[:, None] * across)[..., None]


def inside(window: Window, axis: int, size: int) -> Any:
    """Elements of an axis in each position of the window."""
    first = np.arange(window.output_size[axis], dtype=np.int64) * window.stride[axis]
    first -= window.padding[axis]
    return np.minimum(first + window.filter_size[axis], size) - np.maximum(first, 0)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnAveragePoolOptions,
    constraints=(*one_to_one(TensorType.INT8), c.rank(0, 4)),
)
