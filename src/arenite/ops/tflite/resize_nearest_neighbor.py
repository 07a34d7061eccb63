"""RESIZE_NEAREST_NEIGHBOR: scale an image's height and width by repeating or leaving out.

Facts: TFLM ``micro/kernels/resize_nearest_neighbor.cc`` and
``reference/resize_nearest_neighbor.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.resize import prepare_sizes, resize_constraints


class ResizeNearestNeighborOptions(OptionsTable, union=74):
    """``table ResizeNearestNeighborOptions``."""

    align_corners: bool = slot(0, "bool", False)
    half_pixel_centers: bool = slot(1, "bool", False)


@dataclass(frozen=True)
class ResizeNearestNeighborParams:
    """The input's row of every output row, and the column of every column."""

    rows: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]


def prepare(context: Context, node: Node) -> ResizeNearestNeighborParams:
    """The rows and columns to take."""
    options: ResizeNearestNeighborOptions = node.options
    sizes = prepare_sizes(context, node)
    placement = getattr(options, "placement", None)
    if placement is not None:
        return ResizeNearestNeighborParams(*(np.array(axis, np.int32) for axis in placement))
    rows, columns = (nearest(options, *axis) for axis in sizes)
    return ResizeNearestNeighborParams(rows, columns)


def nearest(
    options: ResizeNearestNeighborOptions, input_size: int, output_size: int
) -> npt.NDArray[np.int32]:
    """The input positions of all output positions along one axis, in float32 arithmetic."""
    f = np.float32
    scale = f(input_size) / f(output_size)
    if options.align_corners and output_size > 1:
        scale = f(input_size - 1) / f(output_size - 1)
    offset = f(0.5) if options.half_pixel_centers else f(0)
    exact = (np.arange(output_size, dtype=f) + offset) * scale
    position = np.floor(exact)
    if options.align_corners:
        position += exact - position >= f(0.5)
    inside: npt.NDArray[np.int32] = np.clip(position, 0, input_size - 1).astype(np.int32)
    return inside


def invoke(context: Context, node: Node) -> None:
    """Take rows, then columns."""
    params: ResizeNearestNeighborParams = node.params
    rows = input_array(context, node, 0).take(params.rows, axis=1)
    rows.take(params.columns, axis=2, out=output_array(context, node), mode="clip")


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=ResizeNearestNeighborOptions,
    builtin_data=Struct("TfLiteResizeNearestNeighborParams", ("bool", "bool")),
    constraints=resize_constraints(FLOAT32, INT8, INT16),
)

TRAITS = Traits(
    values="rising",
    channels="same",
    exact_on_floats=True,
    compiled="for U85 Vela takes half pixels for centres unless corners are aligned",
)

SCHEME = MOVES
