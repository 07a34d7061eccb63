"""MNN_RESIZE_CUBIC: images in another size, by four weighted rows and columns.

Facts: MNN 3.6.1 ``backend/cpu/CPUResize.hpp``, ``compute/ResizeFunction.cpp`` (the coefficient
is -0.75 whatever a file says).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration

Pair = tuple[float, float]


@dataclass(frozen=True)
class MnnResizeCubicOptions(OptionsTable):
    """Output size, and for rows and columns ``position = scale * index + offset``."""

    size: tuple[int, int] = (0, 0)
    rows: Pair = (0.0, 0.0)
    columns: Pair = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Taps:
    """For every output position four input positions, and their weights."""

    positions: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]


@dataclass(frozen=True)
class MnnResizeCubicParams:
    """The weights of rows and columns."""

    rows: Taps
    columns: Taps


def prepare(context: Context, node: Node) -> MnnResizeCubicParams:
    """Positions and weights."""
    options: MnnResizeCubicOptions = node.options
    n, height, width, channels = input_tensor(context, node, 0).shape
    if min(*options.size, height, width) < 1:
        context.report_error(f"cannot resize {(height, width)} to {options.size}")
    context.resize_tensor(output_tensor(context, node).index, (n, *options.size, channels))
    return MnnResizeCubicParams(
        taps(height, options.size[0], *options.rows), taps(width, options.size[1], *options.columns)
    )


def taps(size: int, outputs: int, scale: float, offset: float) -> Taps:
    """The taps along one axis, computed in float32 as MNN does."""
    f = np.float32
    with np.errstate(all="ignore"):
        exact = np.arange(outputs, dtype=f) * f(scale) + f(offset)
        t = exact - np.floor(exact)
    first = np.clip(np.trunc(exact), -2, size).astype(np.int64) - 1
    positions = np.clip(first[:, None] + np.arange(4), 0, size - 1)
    return Taps(positions, np.stack([outer(1 + t), inner(t), inner(1 - t), outer(2 - t)], 1))


def inner(t: Array) -> Array:
    """The weight of a neighbour at distance ``t`` up to 1."""
    f = np.float32
    return np.asarray(f(1) - f(2.25) * t * t + f(1.25) * t * t * t)


def outer(t: Array) -> Array:
    """The weight of a neighbour at distance ``t`` from 1 to 2."""
    f = np.float32
    return np.asarray(f(3) - f(6) * t + f(3.75) * t * t - f(0.75) * t * t * t)


def invoke(context: Context, node: Node) -> None:
    """Columns, then rows."""
    params: MnnResizeCubicParams = node.params
    x = input_array(context, node, 0)
    rows, columns = params.rows, params.columns
    with np.errstate(all="ignore"):
        line = np.einsum("nhwkc,wk->nhwc", x[:, :, columns.positions], columns.weights)
        out = np.einsum("nhkwc,hk->nhwc", line[:, rows.positions], rows.weights)
    output_array(context, node)[...] = out


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnResizeCubicOptions,
    constraints=(*one_to_one(TensorType.FLOAT32), c.rank(0, 4)),
)
