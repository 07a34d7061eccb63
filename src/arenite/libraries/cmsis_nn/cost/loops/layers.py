"""Loops of fully connected layers, pooling, element-wise operators and softmax.

Facts: CMSIS-NN ``Source/FullyConnectedFunctions``, ``PoolingFunctions``,
``BasicMathFunctions``, ``SoftmaxFunctions``.
"""

from __future__ import annotations

from math import floor, frexp, prod

from arenite.libraries.cmsis_nn.cost.loops.copies import copies
from arenite.libraries.cmsis_nn.cost.loops.products import (
    arm_nn_mat_mult_nt_t_s8,
    arm_nn_vec_mat_mult_t,
)
from arenite.libraries.costs import Loop
from arenite.libraries.shapes import ConvShape, DenseShape, axis_inside, taps_inside
from arenite.target import Target

Shapes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]

# -- fully connected ------------------------------------------------------------------


def arm_fully_connected_s8(
    layer: DenseShape, target: Target, *, weights_zero_point: int = 0
) -> list[Loop]:
    """A product for every row of the input; weights with a zero point have loops of their own."""
    product = "arm_nn_vec_mat_mult_t_s8"
    if weights_zero_point:
        product += ", weights with zero point"
    name = "arm_fully_connected_s8"
    return [
        Loop(name, "call", 1),
        Loop(name, "row", layer.batches),
        *arm_nn_vec_mat_mult_t(product, layer.batches, layer.units, layer.depth, target),
    ]


def arm_fully_connected_per_channel_s8(layer: DenseShape, target: Target) -> list[Loop]:
    """A product for every row of the input."""
    name, product = "arm_fully_connected_per_channel_s8", "arm_nn_vec_mat_mult_t_per_ch_s8"
    return [
        Loop(name, "call", 1),
        Loop(name, "row", layer.batches),
        *arm_nn_vec_mat_mult_t(product, layer.batches, layer.units, layer.depth, target),
    ]


def fully_connected_as_convolution(layer: DenseShape, target: Target) -> list[Loop]:
    """A fully connected layer that TFLM's glue hands to ``arm_convolve_1x1_s8_fast``."""
    name = "arm_convolve_1x1_s8_fast"
    copied = 0 if layer.per_channel else layer.units
    return [
        Loop(name, "call", 1),
        Loop("tflite::EvalQuantizedInt8", "unit", copied),
        *arm_nn_mat_mult_nt_t_s8(1, layer.batches, layer.units, layer.depth, target),
    ]


# -- pooling --------------------------------------------------------------------------


def arm_avgpool_s8(pool: ConvShape, target: Target) -> list[Loop]:
    """Sums of windows, divided value by value; vectors sum and divide 16 channels at a time."""
    name = "arm_avgpool_s8"
    positions, taps = _windows(pool)
    rows = pool.input.n * axis_inside(pool, "h") * pool.output.w
    loops = [Loop(name, "call", 1), Loop(name, "position", positions)]
    if target.instructions == "mve":
        vectors = -(-pool.input.c // 16)
        return [
            *loops,
            Loop(name, "16 channels", positions * vectors),
            Loop(name, "16 channels, row of taps", rows * vectors),
            Loop(name, "16 channels, tap", taps * vectors),
        ]
    return [
        *loops,
        Loop(name, "row of taps", rows),
        Loop(name, "tap", taps),
        Loop(name, "channel", positions * pool.input.c),
        Loop(name, "next tap, channel", (taps - positions) * pool.input.c),
    ]


def arm_max_pool_s8(pool: ConvShape, target: Target) -> list[Loop]:
    """The first tap is copied, the others replace what is smaller; the output is clamped."""
    name = "arm_max_pool_s8"
    positions, taps = _windows(pool)
    rows = pool.input.n * axis_inside(pool, "h") * pool.output.w
    values = pool.output.h * pool.output.w * pool.input.c
    if target.instructions == "mve":
        size, (blocks, rest), (clamped, left) = (
            16,
            (-(-pool.input.c // 16), 0),
            (-(-values // 16), 0),
        )
    else:
        size, (blocks, rest), (clamped, left) = 4, divmod(pool.input.c, 4), divmod(values, 4)
    others = taps - positions
    return [
        Loop(name, "call", 1),
        Loop(name, "position", positions),
        Loop(name, "row of taps", rows),
        Loop(name, "tap", taps),
        *copies(name, positions, pool.input.c, target),
        Loop(name, f"next tap, {size} channels", others * blocks),
        Loop(name, "next tap, channel", others * rest),
        Loop(name, f"clamp {size} values", pool.input.n * clamped),
        Loop(name, "clamp value", pool.input.n * left),
    ]


def _windows(pool: ConvShape) -> tuple[int, int]:
    """Positions, and taps that meet the image, in all images."""
    positions = pool.output.h * pool.output.w
    return pool.input.n * positions, pool.input.n * taps_inside(pool)


# -- element by element ---------------------------------------------------------------


def elementwise(name: str, size: int, target: Target) -> list[Loop]:
    """Four values at a time."""
    blocks, rest = divmod(size, 4)
    if target.instructions == "mve":
        blocks, rest = blocks + (rest > 0), 0
    return [
        Loop(name, "call", 1),
        Loop(name, "4 values", blocks),
        Loop(name, "value", rest),
    ]


def larger_or_smaller(name: str, shapes: Shapes, target: Target) -> list[Loop]:
    """``arm_maximum_s8``, ``arm_minimum_s8``: runs of values, as long as inputs broadcast alike.

    ``shapes`` are those of both inputs and of the output. A run is all, an image, a line or a
    pixel: the largest of these that both inputs have whole, or of which one has a single value.
    """
    first, second, output = ((1,) * (4 - len(shape)) + shape for shape in shapes)
    outer = next(n for n in range(4) if n == 3 or _goes_together(first[n:], second[n:]))
    runs = prod(output[:outer])
    times = {
        "image": output[0] if outer else 0,
        "line": prod(output[:2]) if outer > 1 else 0,
        "pixel": runs if outer > 2 else 0,
        "run": runs,
    }
    step, width = ("16 values", 16) if target.instructions == "mve" else ("value", 1)
    times[step] = runs * -(-prod(output[outer:]) // width)
    return [Loop(name, "call", 1), *(Loop(name, step, n) for step, n in times.items())]


def _goes_together(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    return first == second or 1 in (prod(first), prod(second))


def arm_nn_softmax_common_s8(rows: int, size: int, radius: int) -> list[Loop]:
    """The largest value, the sum of exponentials, the quotients: three passes over a row.

    Values more than ``radius`` below the largest cost less; how many are depends on the data. Here
    they are spread evenly over the whole range. GCC 12 takes these loops for vectors, too.
    """
    name, near = "arm_nn_softmax_common_s8", min(radius + 1, 256) / 256
    return [
        Loop(name, "call", 1),
        Loop(name, "row", rows),
        Loop(name, "value", rows * size),
        Loop(name, "value near the largest", rows * max(round(size * near), 1)),
    ]


def softmax_radius(scale: float, beta: float) -> int:
    """The distance below the largest from which on an int8's exponential counts as 0.

    Facts: TFLM ``PreprocessSoftmaxScaling``, ``CalculateInputRadius`` with 5 integer bits.
    """
    exponent = frexp(min(beta * scale * (1 << 26), (1 << 31) - 1))[1]
    return floor(31 * (1 << 26) / 2.0**exponent)


def arm_transpose_s8(shape: tuple[int, ...], order: tuple[int, ...], target: Target) -> list[Loop]:
    """Value by value through its index in either order; vectors gather lines of the last axes."""
    name, size = "arm_transpose_s8", prod(shape)
    if target.instructions == "mve" and (len(shape) == 2 or order[:2] == (0, 1)):
        lines = size // max(shape[-2], 1)
        return [
            Loop(name, "call", 1),
            Loop(name, "line", lines),
            Loop(name, "line, 8 values", lines * -(-shape[-2] // 8)),
        ]
    return [
        Loop(name, "call", 1),
        Loop(name, "row", size // max(shape[-1], 1)),
        Loop(name, "value", size),
    ]
