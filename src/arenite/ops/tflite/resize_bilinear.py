"""RESIZE_BILINEAR: scale an image's height and width with bilinear interpolation.

Facts: TFLM ``micro/kernels/resize_bilinear.cc`` and ``reference/resize_bilinear.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8
from arenite.numeric.fixedpoint import rounding_divide_by_pot
from arenite.ops import MOVES_INT8, Array, Context, Node, NodeView, Registration, Struct, Traits
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.resize import prepare_sizes, resize_constraints

FRACTION_BITS = 10
ONE = 1 << FRACTION_BITS


class ResizeBilinearOptions(OptionsTable, union=15):
    """``table ResizeBilinearOptions``; its fields 0 and 1 are deprecated."""

    align_corners: bool = slot(2, "bool", False)
    half_pixel_centers: bool = slot(3, "bool", False)


@dataclass(frozen=True)
class Interpolation:
    """For every output position: its two input positions, and how far it is from ``lower``.

    Integers take ``fraction``, int32 in units of ``2**-10``, floats ``float_fraction``; the
    other one is empty. It is negative before the centre of the first pixel, where ``lower``
    and ``upper`` are both 0.
    """

    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    fraction: npt.NDArray[np.int32]
    float_fraction: npt.NDArray[np.float32]


@dataclass(frozen=True)
class ResizeBilinearParams:
    """Interpolation between rows, and between columns.

    Halves of integers go away from zero; with ``TFLITE_SINGLE_ROUNDING`` up.
    """

    rows: Interpolation
    columns: Interpolation
    halves_up: bool = False


def options_agree(node: NodeView) -> bool:
    """Not both align_corners and half_pixel_centers are set."""
    return not (node.options.align_corners and node.options.half_pixel_centers)


def prepare(context: Context, node: Node) -> ResizeBilinearParams:
    """The positions and weights of the interpolation."""
    sizes = prepare_sizes(context, node)
    placement = getattr(node.options, "placement", None)
    if placement is not None:
        rows, columns = map(_placed, placement, sizes)
        return ResizeBilinearParams(rows, columns)
    is_float = context.get_eval_tensor(node.inputs[0]).type is FLOAT32
    positions = _float_positions if is_float else _fixed_point_positions
    rows, columns = (_interpolation(context, size, positions(node, *size)) for size in sizes)
    return ResizeBilinearParams(rows, columns, context.target.rounding == "single")


def _placed(positions: tuple[float, ...], size: tuple[int, int]) -> Interpolation:
    """Between the pixels around exact positions, at the border its last pixel; for floats."""
    exact = np.array(positions, np.float32)
    whole = np.floor(exact)
    lower, upper = (np.clip(p, 0, size[0] - 1).astype(np.int32) for p in (whole, whole + 1))
    return Interpolation(lower, upper, np.zeros(0, np.int32), exact - whole)


def _interpolation(context: Context, size: tuple[int, int], found: Interpolation) -> Interpolation:
    if found.lower[-1] >= size[0]:
        context.report_error(
            f"resizing {size[0]} to {size[1]} rounds so that TFLM reads behind the image"
        )
    return found


def _float_positions(node: Node, input_size: int, output_size: int) -> Interpolation:
    """Positions in float32 arithmetic."""
    f = np.float32
    scale = f(input_size) / f(output_size)
    if node.options.align_corners and output_size > 1:
        scale = f(input_size - 1) / f(output_size - 1)
    position = np.arange(output_size, dtype=f)
    if node.options.half_pixel_centers:
        position = (position + f(0.5)) * scale - f(0.5)
    else:
        position = position * scale
    lower = np.maximum(np.floor(position), 0)
    upper = np.minimum(np.ceil(position), input_size - 1)
    positions = lower.astype(np.int32), upper.astype(np.int32)
    return Interpolation(*positions, np.zeros(0, np.int32), position - lower)


def _fixed_point_positions(node: Node, input_size: int, output_size: int) -> Interpolation:
    """Positions in integer arithmetic with ten fraction bits."""
    distance, steps = input_size, output_size
    if node.options.align_corners and output_size > 1:
        distance, steps = input_size - 1, output_size - 1
    scale = (ONE * distance + steps // 2) // steps
    position = np.arange(output_size, dtype=np.int64) * scale
    if node.options.half_pixel_centers:
        position += scale // 2 - ONE // 2
    lower = np.maximum(position, 0) >> FRACTION_BITS
    upper = np.minimum((position + ONE - 1) >> FRACTION_BITS, input_size - 1)
    fraction = position - (lower << FRACTION_BITS)
    positions = lower.astype(np.int32), upper.astype(np.int32)
    return Interpolation(*positions, fraction.astype(np.int32), np.zeros(0, np.float32))


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    x, out = input_array(context, node, 0), output_array(context, node)
    kernel = resize_float if x.dtype == np.float32 else resize_integer
    kernel(node.params, x, out)


def resize_integer(params: ResizeBilinearParams, x: Array, out: Array) -> None:
    """Interpolate rows, then columns; one rounding at the end."""
    rows, columns = params.rows, params.columns
    x = x.astype(np.int32)
    down, right = rows.fraction[:, None, None], columns.fraction[:, None]
    between = x[:, rows.lower] * (ONE - down) + x[:, rows.upper] * down
    total = between[:, :, columns.lower] * (ONE - right) + between[:, :, columns.upper] * right
    if params.halves_up:
        out[...] = np.right_shift(total + (1 << 2 * FRACTION_BITS - 1), 2 * FRACTION_BITS)
    else:
        out[...] = rounding_divide_by_pot(total, 2 * FRACTION_BITS)


def resize_float(params: ResizeBilinearParams, x: Array, out: Array) -> None:
    """Four weighted corners, multiplied and added in TFLM's order in float32."""
    one = np.float32(1)
    down = params.rows.float_fraction[:, None, None]
    right = params.columns.float_fraction[:, None]
    above, below = x[:, params.rows.lower], x[:, params.rows.upper]
    left, other = params.columns.lower, params.columns.upper
    with np.errstate(all="ignore"):
        out[...] = above[:, :, left] * (one - down) * (one - right)
        out += below[:, :, left] * down * (one - right)
        out += above[:, :, other] * (one - down) * right
        out += below[:, :, other] * down * right


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=ResizeBilinearOptions,
    builtin_data=Struct("TfLiteResizeBilinearParams", ("bool", "bool")),
    constraints=(*resize_constraints(FLOAT32, INT8), options_agree),
)

TRAITS = Traits(channels="same")

SCHEME = MOVES_INT8
