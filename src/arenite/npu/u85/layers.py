"""Layers of U85 as registers say them.

Facts: Vela 5.2.0 regor ``ethos_u85_register_cs_generator.cpp`` (``GenerateConvolutionOp``,
``GeneratePoolingOp``, ``GenerateElementwiseOp``, ``GenerateResizeOp``, ``GenerateAccFormat``),
``ethos_u85_interface.hpp``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.npu.feature_map import FeatureMap, Shape
from arenite.npu.layers import input_size, output_shape, window_of
from arenite.npu.operations import (
    UNARY,
    Convolution,
    Elementwise,
    Function,
    Operand,
    Pool,
    PoolKind,
    Product,
    Resize,
    Window,
)
from arenite.npu.registers import Registers, operation_name
from arenite.npu.stream import Command, StreamError
from arenite.npu.u85.maps import SUMS, Reading, input_map, is_number, number, sums_before
from arenite.npu.u85.results import operand, result, unit_of
from arenite.npu.u85.traversal import Traversal, Way
from arenite.npu.u85.weights import channels, is_fast, is_sparse, weights

#: By code.
_POOLS: tuple[PoolKind, ...] = (
    *("max", "average", "sum", "total", "none"),
    *("min", "argmax_x", "argmax_y"),
)
_FUNCTIONS: dict[int, Function] = {
    **{0: "mul", 1: "add", 2: "sub", 3: "min", 4: "max", 5: "leaky", 6: "abs", 7: "clz"},
    **{8: "shr", 9: "shl", 10: "lsr", 11: "div", 16: "eq", 17: "ne", 18: "ge", 19: "gt"},
    **{33: "and", 34: "or", 35: "xor", 36: "not", 42: "and_not"},
}
#: Bits of RESIZE_X_OFFSET.
_OFFSET = 12
_MODES = {0: "bilinear", 2: "nearest"}


def convolution(reading: Reading, command: Command, place: int) -> Convolution:
    """A convolution, dense or depthwise."""
    registers = reading.registers
    is_depthwise = operation_name(command) == "DEPTHWISE"
    is_wide = _is_wide(registers)
    shape, window = output_shape(registers), window_of(registers)
    depth = shape[2] if is_depthwise else registers.size("IFM_DEPTH")
    source = input_map(reading, "IFM", (*input_size(window, depth), depth))
    if source.dtype.itemsize > 2:
        raise StreamError(f"expected an input of 8 or 16 bits, got {source.dtype}")
    is_part = bool(registers.short("KERNEL_STRIDE") & 1 << 2)
    way: Way = "depthwise" if is_depthwise else "part" if is_part else "depth"
    order = Traversal(
        shape=(shape[2], *window.kernel, 1 if is_depthwise else depth),
        block=registers.size("OFM_BLK_DEPTH"),
        unit=unit_of(reading)[2],
        way=way,
        input_bits=8 * source.dtype.itemsize,
        stride=window.stride,
        dilation=window.dilation,
        streams=reading.accelerator.cores,
        macs=reading.accelerator.macs,
        is_sparse=is_sparse(reading),
    )
    values, streams = weights(reading, order)
    before, end = sums_before(reading, shape), result(reading, shape)
    if end.map.region == SUMS:
        nothing, one = np.zeros(shape[2], np.int64), np.ones(shape[2], np.int64)
        numbers = nothing, one, nothing
    elif end.scale is None:
        numbers = channels(reading, shape[2], is_wide=is_wide)
    else:
        raise StreamError("expected a scale for each channel, got one for all")
    return Convolution(
        *(place, command.position, source, replace(end, scale=None), window, values, *numbers),
        *(is_depthwise, streams, is_part, before, is_fast(reading), order.is_sparse),
    )


def product(reading: Reading, command: Command, place: int) -> Convolution | Product:
    """A convolution, or one whose weights another operation computes."""
    if not command.parameter & 1:
        return convolution(reading, command, place)
    registers = reading.registers
    _is_wide(registers)
    shape, depth = output_shape(registers), registers.size("IFM_DEPTH")
    window = window_of(registers)
    if window.kernel != (1, 1) or window.stride != (1, 1) or window.is_padded or window.upscale:
        raise StreamError("expected a kernel of 1x1 of weights that another layer computes")
    source = input_map(reading, "IFM", (*shape[:2], depth))
    other = input_map(reading, "IFM2", (1, shape[2], depth))
    if max(source.dtype.itemsize, other.dtype.itemsize) > 2:
        raise StreamError(f"expected 8 or 16 bits, got {source.dtype} and {other.dtype}")
    before = sums_before(reading, shape)
    end = result(reading, shape)
    if end.scale is None:
        raise StreamError("expected one scale for all channels, got one for each")
    return Product(place, command.position, source, end, other, before)


def _is_wide(registers: Registers) -> bool:
    """Whether sums have 48 bits."""
    how = registers.short("ACC_FORMAT")
    if how & 3 > 1:
        raise StreamError(f"expected sums of 32 or 48 bits (0 or 1), got {how & 3}")
    return bool(how & 1)


def pool(reading: Reading, command: Command, place: int) -> Pool:
    """A pool, or a sum over the depth."""
    registers = reading.registers
    if command.parameter >= len(_POOLS):
        raise StreamError(f"expected a pool of 0 to {len(_POOLS) - 1}, got {command.parameter}")
    _is_wide(registers)
    kind, shape, window = _POOLS[command.parameter], output_shape(registers), window_of(registers)
    size = (*input_size(window, shape[2]), shape[2])
    if kind == "sum":
        size = (shape[0], shape[1], registers.size("IFM_DEPTH"))
        shape = (shape[0], shape[1], 1)
    before = sums_before(reading, shape)
    if kind == "none":
        if before is None:
            raise StreamError("expected sums to go on from, got none")
        source, before = before, None
        window = Window((1, 1), (1, 1), (1, 1), (0, 0, 0, 0), "", shape[:2])
    else:
        source = input_map(reading, "IFM", size)
    if before is not None and kind not in ("total", "average"):
        raise StreamError(f"expected no sums to go on from of a {kind} pool, got some")
    end = result(reading, shape)
    if end.scale is None:
        raise StreamError("expected one scale of a pool, got one for each channel")
    return Pool(place, command.position, source, end, kind, window, True, before)


def elementwise(reading: Reading, command: Command, place: int) -> Elementwise:
    """A function of elements in their place."""
    registers = reading.registers
    function = _FUNCTIONS.get(command.parameter)
    if function is None:
        codes = ", ".join(map(str, _FUNCTIONS))
        raise StreamError(f"expected a function of {codes}, got {command.parameter}")
    shape = output_shape(registers)
    source, other, is_reversed = _inputs(reading, function, shape)
    end = result(reading, shape)
    if end.scale is None:
        raise StreamError("expected one scale of a function, got one for each channel")
    both = function not in UNARY or function == "leaky"
    first = operand(registers, "IFM_SCALE")
    second = operand(registers, "IFM2_SCALE") if both else Operand(1)
    is_scaled = function == "leaky" or (first, second) != (Operand(1), Operand(1))
    scales = (first, second) if is_scaled else None
    size = source.dtype.itemsize
    return Elementwise(
        *(place, command.position, source, end, function, other, is_reversed, scales),
        *(size == 4, size == 1),
    )


def _inputs(
    reading: Reading, function: Function, shape: Shape
) -> tuple[FeatureMap, FeatureMap | int | None, bool]:
    """A map as large as the output if there is one; the other input; whether that comes first."""
    registers = reading.registers
    if function in UNARY:
        return input_map(reading, "IFM", shape), None, False
    if is_number(registers, "IFM"):
        return _map(reading, "IFM2", shape), number(registers, "IFM"), True
    first = _map(reading, "IFM", shape)
    if is_number(registers, "IFM2"):
        return first, number(registers, "IFM2"), False
    second = _map(reading, "IFM2", shape)
    if first.shape != shape and second.shape == shape:
        return second, first, True
    return first, second, False


def _map(reading: Reading, which: str, shape: Shape) -> FeatureMap:
    """An input that may be 1 high, wide or deep."""
    flags = reading.registers.short(f"{which}_BROADCAST")
    if flags > 7:
        raise StreamError(f"{which}: expected axes of 0 to 7 to repeat, got {flags}")
    height, width, depth = (1 if flags >> axis & 1 else n for axis, n in enumerate(shape))
    return input_map(reading, which, (height, width, depth))


def resize(reading: Reading, command: Command, place: int) -> Resize:
    """Elements between others."""
    registers = reading.registers
    mode = _MODES.get(command.parameter)
    if mode is None:
        raise StreamError(f"expected a resizing of 0 or 2, got {command.parameter}")
    shape = output_shape(registers)
    size = registers.size("KERNEL_HEIGHT"), registers.size("KERNEL_WIDTH"), shape[2]
    source = input_map(reading, "IFM", size)
    end = result(reading, shape)
    parts = registers.size("RESIZE_Y_SCALE_N"), registers.size("RESIZE_X_SCALE_N")
    steps = []
    for axis, count in zip("YX", parts, strict=True):
        how, rest = registers.long(f"RESIZE_{axis}")
        steps.append((how & 15) * count + (rest & 0x7FF))
    offsets = (registers.short(f"RESIZE_{axis}_OFFSET") for axis in "YX")
    y, x = (n - (n >> _OFFSET - 1 << _OFFSET) for n in (m & 0xFFF for m in offsets))
    return Resize(
        *(place, command.position, source, end),
        *("bilinear" if mode == "bilinear" else "nearest", parts, (steps[0], steps[1]), (y, x)),
    )
