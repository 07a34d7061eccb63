"""Verified streams in NumPy: slow, and what every other way to run them is checked against.

Facts: TFLite's arithmetic, which agrees; docs/ethos-u.md lists what is inferred and what guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.npu.arithmetic import averaged, rescaled, shifted
from arenite.npu.feature_map import FeatureMap, Memory
from arenite.npu.operations import (
    Convolution,
    Copy,
    Elementwise,
    Gather,
    Operand,
    Operation,
    Pool,
    Product,
    Program,
    Resize,
    Result,
    Rounding,
    Window,
)
from arenite.npu.resize import resized
from arenite.numeric.gemmlowp import count_leading_zeros
from arenite.numeric.lut import logistic_int16, tanh_int16
from arenite.numeric.product import matrix_product

Int64 = npt.NDArray[np.int64]
#: Told of what each operation stores.
Watch = Callable[[Operation, Int64], None]
#: What padding is, where it is not 0: less or more than any value of a window.
_BORDERS = {"max": -(1 << 40), "min": 1 << 40, "argmax_x": -(1 << 40), "argmax_y": -(1 << 40)}
#: What becomes of an element and what was found before; else their sum.
_TAKES = {"max": np.maximum, "min": np.minimum}
#: Bits below an index.
_INDEX = 16


def run(program: Program, memory: Memory, watch: Watch | None = None) -> None:
    """Run all operations.

    Args:
        program: As :func:`arenite.npu.verification.reader.read_program` verified it.
        memory: Bytes of each region, as many as were verified.
        watch: Told of what each operation stores, as it is stored.
    """
    memory = {**memory, **program.inside()}
    for operation in program.operations:
        if isinstance(operation, Copy):
            _copy(operation, memory)
            continue
        values = computed(operation, memory)
        target = operation.writes
        assert target is not None
        target.write(memory, values)
        if watch is not None:
            watch(operation, values.transpose(target.axes))


def computed(operation: Operation, memory: Memory) -> Int64:
    """The values that an operation stores."""
    if isinstance(operation, Convolution):
        return _convolution(operation, memory)
    if isinstance(operation, Pool):
        return _pool(operation, memory)
    if isinstance(operation, Gather):
        return _gathered(operation, memory)
    if isinstance(operation, Product):
        return _product(operation, memory)
    if isinstance(operation, Resize):
        x = _real(operation.input, memory)
        return finished(_scaled(resized(operation, x), operation.result), operation.result)
    assert isinstance(operation, Elementwise)
    return _elementwise(operation, memory)


def _copy(copy: Copy, memory: Memory) -> None:
    region, begin = copy.target
    if region is None:
        return  # tables were taken from there when the stream was read
    source, first = copy.source
    memory[region][begin : begin + copy.length] = memory[source][first : first + copy.length].copy()


def _gathered(op: Gather, memory: Memory) -> Int64:
    """Guessed: numbers beyond the table are taken for its ends."""
    ((_, table),) = op.table.views(memory)
    rows = np.clip(op.indices.read(memory)[..., 0], 0, op.table.shape[1] - 1)
    found: Int64 = table[np.arange(len(rows))[:, None], rows, 0].astype(np.int64)
    return found


# -- windows


def _real(source: FeatureMap, memory: Memory) -> Int64:
    """Elements without their zero point."""
    return source.read(memory) - source.zero_point


def _padded(source: FeatureMap, window: Window, memory: Memory, border: int) -> Int64:
    """The input, upscaled, with a border."""
    x = _real(source, memory)
    height, width = window.input
    if window.upscale == "nearest":
        x = x.repeat(2, 0).repeat(2, 1)[:height, :width]
    elif window.upscale == "zeros":
        wide = np.zeros((2 * x.shape[0], 2 * x.shape[1], x.shape[2]), np.int64)
        wide[::2, ::2] = x
        x = wide[:height, :width]
    if not window.is_padded:
        return x
    top, left, bottom, right = window.padding
    return np.pad(x, ((top, bottom), (left, right), (0, 0)), constant_values=border)


def _taps(x: npt.NDArray[Any], window: Window, size: tuple[int, int]) -> Iterator[Any]:
    """For each element of the kernel the elements of ``x`` that meet it, ``size`` of them."""
    for row in range(window.kernel[0]):
        for column in range(window.kernel[1]):
            y, x0 = row * window.dilation[0], column * window.dilation[1]
            yield x[
                y : y + (size[0] - 1) * window.stride[0] + 1 : window.stride[0],
                x0 : x0 + (size[1] - 1) * window.stride[1] + 1 : window.stride[1],
            ]


def _convolution(op: Convolution, memory: Memory) -> Int64:
    height, width, depth = op.result.map.shape
    x = _padded(op.input, op.window, memory, 0).astype(np.float64)
    weights = op.weights.reshape(depth, -1, op.weights.shape[3]).astype(np.float64)
    # Exact: products of 16 and 9 bits, and the reader bounds how many there are.
    total = np.zeros((height, width, depth))
    for tap, part in enumerate(_taps(x, op.window, (height, width))):
        if op.is_depthwise:
            total += part * weights[:, tap, 0]
        else:
            total += matrix_product(part, weights[:, tap].T)
    sums = total.astype(np.int64) + op.bias + _before(op, memory)
    return finished(rescaled(sums, op.multiplier, op.shift, op.result.rounding), op.result)


def _before(op: Convolution | Pool | Product, memory: Memory) -> Int64:
    """Sums that go on; else 0."""
    return np.zeros(1, np.int64) if op.before is None else _real(op.before, memory)


def _product(op: Product, memory: Memory) -> Int64:
    # Exact: products of 17 bits each, of at most 2**16 channels.
    x, y = _real(op.input, memory), _real(op.other, memory)[0]
    sums = np.einsum("hwi,oi->hwo", x, y) + _before(op, memory)
    return finished(_scaled(sums, op.result), op.result)


def _pool(op: Pool, memory: Memory) -> Int64:
    height, width, _ = op.result.map.shape
    if op.kind == "sum":
        return finished(
            _scaled(_real(op.input, memory).sum(-1, keepdims=True), op.result), op.result
        )
    x = _padded(op.input, op.window, memory, _BORDERS.get(op.kind, 0))
    taps = _taps(x, op.window, (height, width))
    if op.kind in ("argmax_x", "argmax_y"):
        return finished(_scaled(_first_greatest(taps), op.result), op.result)
    take = _TAKES.get(op.kind, np.add)
    total = next(taps).copy()
    for part in taps:
        take(total, part, out=total)
    total = total + _before(op, memory)
    if op.divides:
        total = averaged(total, _counts(op.window, (height, width)))
    return finished(_scaled(total, op.result), op.result)


def _first_greatest(taps: Iterator[Int64]) -> Int64:
    """Inferred: the place of the first greatest element, in the high half of what is scaled."""
    best = next(taps)
    places = np.zeros(best.shape, np.int64)
    for place, part in enumerate(taps, 1):
        places[part > best] = place << _INDEX
        best = np.maximum(best, part)
    return places


def _counts(window: Window, size: tuple[int, int]) -> Int64:
    """The number of elements of a window that are no padding."""
    top, left, bottom, right = window.padding
    ones = np.ones((*window.input, 1), np.int64)
    ones = np.pad(ones, ((top, bottom), (left, right), (0, 0)))
    counts: Int64 = np.sum(list(_taps(ones, window, size)), axis=0)
    return np.maximum(counts, 1)


# -- elements in their place


def _elementwise(op: Elementwise, memory: Memory) -> Int64:
    x = _real(op.input, memory)
    result = op.result
    if op.other is None:
        return _unary(op, x)
    y = np.asarray(op.other, np.int64) if isinstance(op.other, int) else _real(op.other, memory)
    pair = (y, x) if op.is_reversed else (x, y)
    x, y = (np.broadcast_to(one, result.map.shape) for one in pair)
    if op.scales is not None:
        x, y = (_operand(one, scale) for one, scale in zip((x, y), op.scales, strict=True))
    if op.function == "mul":
        # Inferred: products of int32 know shifts alone.
        if op.is_wide and result.scale is not None:
            return finished(shifted(x * y, result.scale.shift, result.rounding), result)
        return finished(_scaled(x * y, result), result)
    if op.function in _PAIRS:
        return finished(_scaled(_PAIRS[op.function](x, y).astype(np.int64), result), result)
    y = np.clip(y, 0, 63)
    value = _shift_right(x, y, result.rounding) if op.function == "shr" else _shift_left(x, y)
    return finished(_scaled(value, result), result)


def _unary(op: Elementwise, x: Int64) -> Int64:
    result = op.result
    if op.scales is not None and op.function != "leaky":
        x = _operand(x, op.scales[0])
    if op.function == "lrelu":
        # Guessed: the scale is that of negative values alone.
        assert result.scale is not None
        scale = result.scale
        negative = rescaled(x, scale.multiplier, scale.shift, result.rounding)
        return finished(np.where(x < 0, negative, x), result)
    if op.function == "leaky":
        assert op.scales is not None
        positive, negative = (_operand(x, scale) for scale in op.scales)
        return finished(_scaled(np.where(x < 0, negative, positive), result), result)
    if op.function == "not":
        return finished(_scaled(~x, result), result)
    value = np.abs(x) if op.function == "abs" else count_leading_zeros(x & 0xFFFFFFFF)
    return finished(_scaled(value, result), result)


def _operand(x: Int64, scale: Operand) -> Int64:
    """An operand on the common scale."""
    if not scale.rounding:
        return (x << scale.left) * scale.multiplier
    return rescaled(x << scale.left, scale.multiplier, scale.shift, scale.rounding)


def _divided(x: Int64, y: Int64) -> Int64:
    """Guessed: towards zero, of 32 bits, and 0 where there is nothing to divide by."""
    x, y = (one.astype(np.int32).astype(np.int64) for one in (x, y))
    quotient = np.abs(x) // np.maximum(np.abs(y), 1) * np.sign(x) * np.sign(y)
    return np.where(y == 0, 0, quotient)


def _logical_right(x: Int64, y: Int64) -> Int64:
    """Zeros come in at 32 bits."""
    return (x & 0xFFFFFFFF) >> np.clip(y, 0, 63)


#: Functions of two elements.
_PAIRS: dict[str, Callable[[Int64, Int64], npt.NDArray[Any]]] = {
    **{
        "add": np.add,
        "sub": np.subtract,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
    },
    **{"eq": np.equal, "ne": np.not_equal, "ge": np.greater_equal, "gt": np.greater},
    **{"xor": np.bitwise_xor, "and_not": lambda x, y: x & ~y},
    **{"div": _divided, "lsr": _logical_right},
}


def _shift_right(x: Int64, y: Int64, rounding: Rounding) -> Int64:
    half = np.where(y > 0, np.int64(1) << np.maximum(y - 1, 0), 0)
    if rounding in ("double", "symmetric"):
        half = np.where(y > 0, half - (x < 0), 0)
    elif rounding in ("truncate", "lower"):
        half = np.zeros_like(x)
    return (x + half) >> y


def _shift_left(x: Int64, y: Int64) -> Int64:
    """Guessed: it wraps at 32 bits."""
    return (x << y).astype(np.int32).astype(np.int64)


# -- the end of every operation


def _scaled(x: Int64, result: Result) -> Int64:
    """With the output's scale, if it has one for all channels."""
    scale = result.scale
    if scale is None:
        return x
    return rescaled(x, scale.multiplier, scale.shift, result.rounding)


def finished(x: Int64, result: Result) -> Int64:
    """Scaled sums with zero point, curve, limits and table: what is stored."""
    x = x + result.zero_point
    if result.curve:
        # Inferred: TFLite's own, whose input scale the sums are on; limits come behind.
        x = (tanh_int16 if result.curve == "tanh" else logistic_int16)(x, 1, 0)
    low, high = result.limits
    x = np.clip(x, low, high)
    table = result.table
    if table is None:
        return x
    if table.ndim == 2:
        base, slope = np.moveaxis(table[(x >> 7) + len(table) // 2], -1, 0)
        between: Int64 = base + ((slope * (x & 127) + 64) >> 7)
        return between
    values: Int64 = table[x - result.first]
    return values
