"""MNN_LRN: local response normalisation, across channels or within a channel.

``y = x * (bias + alpha * mean(x ** 2)) ** -beta``, where the mean is over a window that
counts zeros outside. Facts: MNN 3.6.1 ``geometry/GeometryLRN.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnLrnOptions(OptionsTable):
    """The window's size, the formula's constants; ``axes`` are those that the window spans."""

    size: int = 0
    alpha: float = 0.0
    beta: float = 0.0
    bias: float = 1.0
    axes: tuple[int, ...] = ()


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    options: MnnLrnOptions = node.options
    shape = input_tensor(context, node, 0).shape
    if options.size < 1 or max(options.axes, default=0) >= len(shape):
        context.report_error(f"expected a window of 1 or more in {list(shape)}, got {options}")
    context.resize_tensor(output_tensor(context, node).index, shape)


def invoke(context: Context, node: Node) -> None:
    """Normalise."""
    options: MnnLrnOptions = node.options
    x, out = input_array(context, node, 0), output_array(context, node)
    f = np.float32
    with np.errstate(all="ignore"):
        mean = x.astype(np.float64) ** 2
        for axis in options.axes:
            mean = window_mean(mean, options.size, axis)
        factor = (f(options.bias) + f(options.alpha) * mean.astype(f)) ** f(-options.beta)
        np.multiply(x, factor, out=out)


def window_mean(x: Array, size: int, axis: int) -> Array:
    """The mean of ``size`` neighbours along an axis, with zeros outside."""
    n, before = x.shape[axis], size // 2
    rows = np.moveaxis(x, axis, 0)
    sums = np.zeros_like(rows)
    # Neighbours at a distance of n or more lie outside.
    for move in range(max(-before, 1 - n), min(size - before, n)):
        first, end = max(-move, 0), n - max(move, 0)
        sums[first:end] += rows[first + move : end + move]
    return np.moveaxis(sums / size, 0, axis)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnLrnOptions,
    constraints=one_to_one(TensorType.FLOAT32),
)
