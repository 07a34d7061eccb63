"""MNN_RESIZE_BILINEAR_INT8: int8 images in another size, by weights in 128ths.

``line = a * (128 - w) + b * w`` along columns, the same along rows, and then
``q = round(y / 2**14) + zero``, halves away from zero; what int8 does not hold wraps around. Both
weights are cut off, so that they may miss 128 together. Facts: MNN 3.6.1
``backend/cpu/CPUInterp.cpp``, ``compute/ResizeFunction.cpp`` (``MNNBilinearSampleC8``,
``MNNBilinearLineC8``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration

_ONE, _BITS = 128, 14

Pair = tuple[float, float]


@dataclass(frozen=True)
class MnnResizeBilinearInt8Options(OptionsTable):
    """Output size, and for rows and columns ``position = scale * index + offset``."""

    size: tuple[int, int] = (0, 0)
    rows: Pair = (0.0, 0.0)
    columns: Pair = (0.0, 0.0)


@dataclass(frozen=True)
class MnnResizeBilinearInt8Params:
    """For every output row and column two positions in the input and their weights, all int32."""

    input_zero_point: int
    output_zero_point: int
    rows: Array
    row_weights: Array
    columns: Array
    column_weights: Array


def prepare(context: Context, node: Node) -> MnnResizeBilinearInt8Params:
    """Positions and weights."""
    options: MnnResizeBilinearInt8Options = node.options
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    n, height, width, channels = inp.shape
    if min(*options.size, height, width) < 1:
        context.report_error(f"cannot resize {(height, width)} to {options.size}")
    context.resize_tensor(output.index, (n, *options.size, channels))
    return MnnResizeBilinearInt8Params(
        inp.zero_point,
        output.zero_point,
        *taps(height, options.size[0], *options.rows),
        *taps(width, options.size[1], *options.columns),
    )


def taps(size: int, outputs: int, scale: float, offset: float) -> tuple[Array, Array]:
    """Positions and weights along one axis, ``(outputs, 2)``, from float32 as MNN has it."""
    f = np.float32
    with np.errstate(all="ignore"):
        exact = np.arange(outputs, dtype=f) * f(scale) + f(offset)
        first = np.floor(exact)
        part = np.nan_to_num(exact - first)
    both = first[:, None].astype(np.float64) + np.arange(2)
    weights = np.stack([f(1) - part, part], 1) * f(_ONE)
    return np.clip(both, 0, size - 1).astype(np.int32), weights.astype(np.int32)


def invoke(context: Context, node: Node) -> None:
    """Columns, then rows."""
    params: MnnResizeBilinearInt8Params = node.params
    x = input_array(context, node, 0).astype(np.int32) - params.input_zero_point
    line = weighted(x, 2, params.columns, params.column_weights)
    total = weighted(line, 1, params.rows, params.row_weights)
    whole = np.sign(total) * ((np.abs(total) + (1 << (_BITS - 1))) >> _BITS)
    output_array(context, node)[...] = (whole + params.output_zero_point).astype(np.int8)


def weighted(x: Array, axis: int, places: Array, weights: Array) -> Array:
    """The two elements of each position along an axis, weighted."""
    shape = tuple(-1 if i == axis else 1 for i in range(x.ndim))
    pair = (x.take(places[:, i], axis) * weights[:, i].reshape(shape) for i in range(2))
    return np.asarray(sum(pair))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnResizeBilinearInt8Options,
    constraints=(*one_to_one(TensorType.INT8), c.rank(0, 4)),
)
