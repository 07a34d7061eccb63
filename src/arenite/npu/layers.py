"""Layers as registers say them: windows, weights, scales, tables, limits.

Facts: Vela 5.2.0 ``register_command_stream_generator.py`` (``generate_kernel``,
``generate_biases``, ``generate_activation``, ``generate_scaling_for_elementwise``),
``weight_compressor.py`` (ten bytes of bias, scale and shift per channel),
``high_level_command_to_npu_op.py`` (tables).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from arenite.accelerators import Accelerator
from arenite.npu.constants import SHARED_BUFFER, Known
from arenite.npu.feature_map import FeatureMap, Shape, feature_map
from arenite.npu.operations import (
    FUNCTIONS,
    POOLS,
    ROUNDINGS,
    UNARY,
    UPSCALES,
    Convolution,
    Elementwise,
    Operand,
    Pool,
    Result,
    Scale,
    Window,
)
from arenite.npu.registers import Registers, operation_name
from arenite.npu.stream import Command, StreamError
from arenite.npu.traversal import Traversal, arrange
from arenite.npu.weights import decode

Int64 = npt.NDArray[np.int64]
#: Elements of an input, upscaled and with its padding.
MAX_PADDED = 1 << 24
#: Bytes of a channel's bias, scale and shift.
RECORD = 10
#: The hardware's shifts have 6 bits.
MOST_SHIFT = 63
#: Bits of OFM_PRECISION: one scale for all channels.
ONE_SCALE = 1 << 8
#: Bytes at the end of the shared buffer that hold tables.
TABLES, SLOT = 2048, 256
#: Entries of a table of pairs.
PAIRS = 512
#: Functions of ACTIVATION, and where its tables begin.
_TANH, _LOGISTIC, _FIRST_TABLE, _LAST_TABLE = 3, 4, 16, 23
#: Types that ACTIVATION narrows to before a table.
_NARROWED: dict[int, np.dtype[Any]] = {
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
    5: np.dtype(np.int16),
}
#: Inferred: what the other operand is shifted by where one has a scale of 32 bits, and that one
#: before it is scaled; for inputs of 8 bits, and of more.
_FIXED, _BEFORE = {True: 19, False: 14}, {True: 20, False: 15}
#: Codes of ELEMENTWISE.
_FUNCTIONS = FUNCTIONS[:10]
#: Codes of POOL, and of roundings.
_POOLS, _ROUNDINGS = POOLS[:3], ROUNDINGS[:3]
#: Bits of IFM2_BROADCAST.
_REVERSED, _SCALAR = 1 << 6, 1 << 7


class Reading(Protocol):
    """The state of reading a stream; see :class:`arenite.npu.verification.reader.Reading`."""

    accelerator: Accelerator
    sizes: dict[int, int]
    known: Known
    registers: Registers


def convolution(reading: Reading, command: Command, number: int) -> Convolution:
    """A convolution, dense or depthwise."""
    registers = reading.registers
    is_depthwise = operation_name(command) == "DEPTHWISE"
    shape, window = output_shape(registers), window_of(registers)
    depth = shape[2] if is_depthwise else registers.size("IFM_DEPTH")
    source = feature_map(registers, "IFM", (*input_size(window, depth), depth), reading.sizes)
    if source.dtype.itemsize > 2:
        raise StreamError(f"expected an input of 8 or 16 bits, got {source.dtype}")
    if registers.short("OFM_PRECISION") & ONE_SCALE:
        raise StreamError("expected a scale for each channel, got one for all")
    is_part_first = bool(registers.short("KERNEL_STRIDE") & 1 << 2)
    order = Traversal(
        shape=(shape[2], *window.kernel, 1 if is_depthwise else depth),
        block=registers.size("OFM_BLK_DEPTH"),
        unit=reading.accelerator.ofm_depth,
        is_depthwise=is_depthwise,
        is_part_first=is_part_first,
        input_bits=8 * source.dtype.itemsize,
        dilation=window.dilation,
    )
    result = _result(reading, shape)
    weights = np.zeros(order.shape, np.int16)
    records = np.zeros((3, shape[2]), np.int64)
    streams = []
    # Every core computes each so many-th channel, from streams of its own.
    cores = reading.accelerator.cores
    for core in range(min(cores, shape[2])):
        part = slice(core, None, cores)
        records[:, part] = _channels(reading, core, records[0, part].size)
        weights[part], where = _weights(reading, core, order)
        streams.append(where)
    bias, multiplier, shift = records
    return Convolution(
        *(number, command.position, source, result, window, weights, bias, multiplier, shift),
        *(is_depthwise, tuple(streams), is_part_first),
    )


def _weights(
    reading: Reading, core: int, order: Traversal
) -> tuple[npt.NDArray[np.int16], tuple[int, int, int]]:
    """A core's weights, of the channels that it computes, and where their stream lies."""
    registers, cores = reading.registers, reading.accelerator.cores
    where = registers.short("WEIGHT_REGION"), *address_range(registers, f"WEIGHT{core or ''}")
    filters, *rest = order.shape
    shape = (len(range(core, filters, cores)), rest[0], rest[1], rest[2])
    block = (order.block + cores - 1 - core) // cores
    if block < 1:
        raise StreamError(f"expected blocks of a channel per core, got {order.block}")
    own = replace(order, shape=shape, block=block)
    stream = reading.known.take(*where, "weights").tobytes()
    places = own.places()
    return arrange(decode(stream, len(places)), places, shape), where


def pool(reading: Reading, command: Command, number: int) -> Pool:
    """A pool, or a sum over the depth."""
    registers = reading.registers
    if command.parameter >= len(_POOLS):
        raise StreamError(f"expected a pool of 0 to {len(_POOLS) - 1}, got {command.parameter}")
    kind, shape = _POOLS[command.parameter], output_shape(registers)
    window = window_of(registers)
    size = (*input_size(window, shape[2]), shape[2])
    if kind == "sum":
        size = (shape[0], shape[1], registers.size("IFM_DEPTH"))
        shape = (shape[0], shape[1], 1)
    source = feature_map(registers, "IFM", size, reading.sizes)
    return Pool(number, command.position, source, _result(reading, shape), kind, window)


def elementwise(reading: Reading, command: Command, number: int) -> Elementwise:
    """A function of elements in their place."""
    registers = reading.registers
    if command.parameter >= len(_FUNCTIONS):
        raise StreamError(
            f"expected a function of 0 to {len(_FUNCTIONS) - 1}, got {command.parameter}"
        )
    function = _FUNCTIONS[command.parameter]
    shape = output_shape(registers)
    source = feature_map(registers, "IFM", shape, reading.sizes)
    other, is_reversed = None, False
    if function not in UNARY:
        flags = registers.short("IFM2_BROADCAST")
        is_reversed = bool(flags & _REVERSED)
        other = _other(reading, flags, shape)
    is_wide = source.dtype.itemsize == 4
    has_bytes = source.dtype.itemsize == 1
    scales = None
    if function in ("add", "sub"):
        scales = _operand_scales(registers, is_wide=is_wide, has_bytes=has_bytes)
    result = _result(reading, shape)
    if function == "lrelu" and result.scale is None:
        raise StreamError("expected a scale of lrelu, got none")
    return Elementwise(
        *(number, command.position, source, result, function, other, is_reversed, scales),
        *(is_wide, has_bytes),
    )


def _other(reading: Reading, flags: int, shape: Shape) -> FeatureMap | int:
    """The second input: a map that may be 1 high, wide or deep, or a number without zero point."""
    registers = reading.registers
    if not flags & _SCALAR:
        height, width, depth = (1 if flags >> axis & 1 else n for axis, n in enumerate(shape))
        return feature_map(registers, "IFM2", (height, width, depth), reading.sizes)
    is_signed = registers.short("IFM2_PRECISION") & 1
    read = registers.signed if is_signed else registers.short
    return read("IFM2_SCALAR") - read("IFM2_ZERO_POINT")


def _operand_scales(
    registers: Registers, *, is_wide: bool, has_bytes: bool
) -> tuple[Operand, Operand]:
    """Both scales, or the only one, of 32 bits, and what the other operand is shifted by then."""
    mode = registers.short("IFM_PRECISION") >> 8 & 3
    first = _scale(registers, "OPA_SCALE")
    if mode == 0:
        if is_wide:
            return Operand(1), Operand(1)
        return Operand(first.multiplier), Operand(_scale(registers, "OPB_SCALE").multiplier)
    if mode == 3:
        raise StreamError("expected a mode of operand scales of 0 to 2, got 3")
    # Inferred: shifted left first, as TFLite does, which U85's streams write out.
    before = _BEFORE[has_bytes] if first.shift + _BEFORE[has_bytes] >= 31 else 0
    scaled = Operand(first.multiplier, first.shift + before, before, "double")
    fixed = Operand(1, left=_FIXED[has_bytes])
    return (scaled, fixed) if mode == 1 else (fixed, scaled)


def _scale(registers: Registers, name: str) -> Scale:
    shift, multiplier = registers.long(name)
    if shift > MOST_SHIFT:
        raise StreamError(f"{name}: expected a shift of at most {MOST_SHIFT}, got {shift}")
    return Scale(multiplier, shift)


def output_shape(registers: Registers) -> Shape:
    """Height, width and depth of an output."""
    height, width, depth = (registers.size(f"OFM_{name}") for name in ("HEIGHT", "WIDTH", "DEPTH"))
    return height, width, depth


def window_of(registers: Registers) -> Window:
    """The kernel, and the input that it needs for the output's size."""
    height, width, _ = output_shape(registers)
    extent = registers.size("KERNEL_HEIGHT"), registers.size("KERNEL_WIDTH")
    flags = registers.short("KERNEL_STRIDE")
    if flags & 1 << 5:
        raise StreamError("kernels in parts of 4x4 are not there yet")
    stride = (flags >> 1 & 1 | flags >> 9 << 1 & 6) + 1, (flags & 1 | flags >> 6 << 1 & 6) + 1
    dilation = (flags >> 4 & 1) + 1, (flags >> 3 & 1) + 1
    names = ("TOP", "LEFT", "BOTTOM", "RIGHT")
    top, left, bottom, right = (registers.short(f"IFM_PAD_{name}") for name in names)
    is_beyond = max(top, bottom) >= extent[0] or max(left, right) >= extent[1]
    if is_beyond and not registers.is_u85:
        raise StreamError(
            f"expected padding below the kernel's {extent[0]}x{extent[1]}, got {top}, {left}, "
            f"{bottom} and {right}"
        )
    size = (
        (height - 1) * stride[0] + extent[0] - top - bottom,
        (width - 1) * stride[1] + extent[1] - left - right,
    )
    if min(size) < 1:
        raise StreamError(f"expected an input of at least 1x1, got {size[0]}x{size[1]}")
    upscale = registers.short("IFM_UPSCALE")
    if upscale >= len(UPSCALES):
        raise StreamError(f"expected an upscaling of 0 to {len(UPSCALES) - 1}, got {upscale}")
    kernel = tuple((n - 1) // step + 1 for n, step in zip(extent, dilation, strict=True))
    return Window(
        (kernel[0], kernel[1]),
        stride,
        dilation,
        (top, left, bottom, right),
        UPSCALES[upscale],
        size,
    )


def input_size(window: Window, depth: int) -> tuple[int, int]:
    """Height and width in memory."""
    height, width = window.input
    top, left, bottom, right = window.padding
    padded = (height + top + bottom) * (width + left + right) * depth
    if padded > MAX_PADDED:
        raise StreamError(
            f"expected an input of at most {MAX_PADDED} elements with padding, got {padded}"
        )
    return (-(-height // 2), -(-width // 2)) if window.upscale else (height, width)


def address_range(registers: Registers, name: str) -> tuple[int, int]:
    """First byte and number of bytes."""
    return registers.address(f"{name}_BASE"), registers.long(f"{name}_LENGTH")[1]


def _channels(reading: Reading, core: int, depth: int) -> tuple[Int64, Int64, Int64]:
    """Bias, scale and shift of each output channel of a core."""
    rows = records(reading, core, depth)
    return signed(rows[:, :5]), unsigned(rows[:, 5:9]), rows[:, 9] & MOST_SHIFT


def records(reading: Reading, stream: int, depth: int) -> Int64:
    """The bytes of each output channel's record, a row per channel."""
    registers = reading.registers
    begin, length = address_range(registers, f"SCALE{stream or ''}")
    needed = RECORD * depth
    if length < needed:
        raise StreamError(f"expected {needed} bytes of scales for {depth} channels, got {length}")
    raw = reading.known.take(registers.short("SCALE_REGION"), begin, needed, "scales")
    return raw.reshape(depth, RECORD).astype(np.int64)


def unsigned(rows: Int64) -> Int64:
    """Numbers out of their bytes, the lowest first."""
    found: Int64 = (rows << 8 * np.arange(rows.shape[1])).sum(axis=1)
    return found


def signed(rows: Int64) -> Int64:
    """The same in two's complement."""
    found, bits = unsigned(rows), 8 * rows.shape[1]
    return np.where(found >> bits - 1, found - (1 << bits), found)


# -- the end of every operation


def _result(reading: Reading, shape: Shape) -> Result:
    """Scale, zero point, limits, function and place of an output."""
    registers = reading.registers
    target = feature_map(registers, "OFM", shape, reading.sizes)
    precision = registers.short("OFM_PRECISION")
    rounding = precision >> 14 & 3
    if rounding >= len(_ROUNDINGS):
        raise StreamError(f"expected a rounding of 0 to {len(_ROUNDINGS) - 1}, got {rounding}")
    scale = _scale(registers, "OFM_SCALE") if precision & ONE_SCALE else None
    activation = registers.short("ACTIVATION")
    function, narrowed = activation & 0x1F, activation >> 12 & 7
    limits, kind = _limits(registers, target.dtype, narrowed)
    is_narrow = target.dtype.itemsize < 4
    # Inferred: int32 has no zero point unless through a table; Vela leaves an old one there.
    zero_point = target.zero_point if is_narrow or function else 0
    curve: Literal["", "tanh", "logistic"] = ""
    table = None
    if function in (_TANH, _LOGISTIC):
        curve = "tanh" if function == _TANH else "logistic"
    elif _FIRST_TABLE <= function <= _LAST_TABLE:
        table = _table(reading, function - _FIRST_TABLE, target.dtype, kind)
    elif function:
        raise StreamError(f"expected a function of 0, 3, 4 or 16 to 23, got {function}")
    first = int(np.iinfo(kind).min)
    how = block_of(registers), registers.short("ACC_FORMAT", 0) & 3 == 1
    return Result(target, ROUNDINGS[rounding], scale, zero_point, limits, curve, table, first, *how)


def block_of(registers: Registers) -> Shape:
    """The block that is computed at once; only costs depend on it."""
    names = ("HEIGHT", "WIDTH", "DEPTH")
    height, width, depth = (registers.short(f"OFM_BLK_{name}_M1", 0) + 1 for name in names)
    return height, width, depth


def _limits(
    registers: Registers, dtype: np.dtype[Any], narrowed: int
) -> tuple[tuple[int, int], np.dtype[Any]]:
    """Least and greatest value before a table, and the type of its index."""
    if narrowed and narrowed not in _NARROWED:
        raise StreamError(f"expected a range of 0, 2, 3 or 5, got {narrowed}")
    kind: np.dtype[Any] = _NARROWED.get(narrowed, dtype)
    info = np.iinfo(kind)
    low, high = int(info.min), int(info.max)
    if dtype.itemsize < 4 or narrowed:
        read = registers.signed if low < 0 else registers.short
        low, high = max(low, read("ACTIVATION_MIN")), min(high, read("ACTIVATION_MAX"))
    if low > high:
        raise StreamError(f"expected a lower limit below the upper one, got {low} and {high}")
    return (low, high), kind


def _table(reading: Reading, slot: int, dtype: np.dtype[Any], kind: np.dtype[Any]) -> Int64:
    """A table out of the shared buffer: values, or pairs of base and slope."""
    begin = reading.accelerator.shram * 1024 - TABLES
    what = f"table {slot}"
    if kind.itemsize == 2:
        if dtype != np.int16 or kind != np.int16:
            raise StreamError(f"{what}: expected int16 for pairs, got {kind} and {dtype}")
        raw = reading.known.take(SHARED_BUFFER, begin, TABLES, what)
        return raw.view("<i2").reshape(PAIRS, 2).astype(np.int64)
    if kind.itemsize > 1:
        raise StreamError(f"{what}: expected an index of 8 or 16 bits, got {kind}")
    size = 256 * dtype.itemsize
    raw = reading.known.take(SHARED_BUFFER, begin + slot * SLOT, size, what)
    values: Int64 = raw.view(dtype.newbyteorder("<")).astype(np.int64)
    return values
