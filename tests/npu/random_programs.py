"""Random operations in a small memory, in which they write over each other's maps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from arenite.accelerators import ACCELERATORS
from arenite.npu.feature_map import FeatureMap, Shape, feature_map
from arenite.npu.operations import (
    FUNCTIONS,
    POOLS,
    ROUNDINGS,
    UNARY,
    UPSCALES,
    Convolution,
    Copy,
    Elementwise,
    Operand,
    Operation,
    Pool,
    Program,
    Resize,
    Result,
    Scale,
    Window,
)
from arenite.npu.registers import Registers
from arenite.npu.stream import StreamError
from tests.npu.streams import Assembler, stream_of

#: Bytes of memory to work in, of fast memory, of constants.
WORK, FAST, READ_ONLY = 6144, 2048, 64
SIZES = {0: READ_ONLY, 1: WORK, 2: FAST}
_PRECISIONS = {"int8": 1, "uint8": 0, "int16": 5, "uint16": 4, "int32": 9, "uint32": 8}
Rng = np.random.Generator
Names = tuple[str, ...]
Memory = dict[int, np.ndarray[Any, Any]]


def memory_of(rng: Rng, *, shared: bool) -> Memory:
    """Random bytes in all regions; fast memory is zeros, or memory to work in."""
    constants, work = (rng.integers(0, 256, n).astype(np.uint8) for n in (READ_ONLY, WORK))
    constants.flags.writeable = False
    return {0: constants, 1: work, 2: work if shared else np.zeros(FAST, np.uint8)}


@dataclass(eq=False)
class _Draw:
    """Where numbers come from; what was drawn; and whether it is what TFLite has: int8."""

    rng: Rng
    is_tflites: bool
    before: list[Operation] = field(default_factory=list)

    def one_of(self, *values: Any) -> Any:
        """One of them, each as often as the others."""
        return values[int(self.rng.integers(len(values)))]

    def number(self, low: int, high: int) -> int:
        """From ``low`` to below ``high``."""
        return int(self.rng.integers(low, high))


def random_program(rng: Rng, count: int, *, shared: bool = True) -> Program:
    """``count`` operations, one after the other."""
    draw = _Draw(rng, bool(rng.integers(2)))
    operations = draw.before
    while len(operations) < count:
        try:
            operations.append(_operation(draw, len(operations)))
        except StreamError:
            continue  # a map leaves memory
    sizes = SIZES | ({2: WORK} if shared else {})
    return Program(ACCELERATORS["ethos-u55-128"], tuple(operations), sizes, shared)


def _operation(draw: _Draw, number: int) -> Operation:
    kinds = _convolution, _convolution, _pool, _elementwise, _elementwise, _copy, _resize
    return draw.one_of(*kinds)(draw, number)


# -- maps


def random_map(draw: _Draw, which: str, shape: Shape, names: Names) -> FeatureMap:
    """A map somewhere in memory: in rows or in bricks, in one tile or in four.

    Raises:
        StreamError: It leaves memory.
    """
    name = draw.one_of(*names)
    size, is_bricks = np.dtype(name).itemsize, draw.one_of(True, False)
    height, width, depth = shape
    gap = size * draw.one_of(0, 0, 0, 0, 1, 5)  # steps may be larger than they have to be
    column = 16 * size if is_bricks else depth * size + gap
    row, brick = width * column + gap, (width * column + gap) * height
    if is_bricks and draw.one_of(True, False):
        brick, row = 16 * width * size, 16 * width * size * -(-depth // 16)
    region = draw.one_of(0, 1, 1, 1) if which != "OFM" else draw.one_of(1, 1, 1, 2)
    places = [size * draw.number(0, SIZES[region] // size) for _ in range(4)]
    tiles = height, height, width
    if draw.number(0, 8) == 0:
        tiles = draw.number(1, height + 1), draw.number(1, height + 1), draw.number(1, width + 1)
    precision = _PRECISIONS[name]
    if which == "OFM":
        precision = precision & 1 | precision >> 2 << 1
    values = {
        **{f"{which}_BASE{i}": place for i, place in enumerate(places)},
        **{f"{which}_{n}": t for n, t in zip(("HEIGHT0", "HEIGHT1", "WIDTH0"), tiles, strict=True)},
        **{
            f"{which}_STRIDE_{n}": step for n, step in zip("YXC", (row, column, brick), strict=True)
        },
        f"{which}_REGION": region,
        f"{which}_ZERO_POINT": draw.one_of(0, 0, -3, 7, 100, -128),
        f"{which}_PRECISION": precision | is_bricks << 6,
    }
    registers = Registers()
    for command in stream_of(Assembler().set(**values).words).commands():
        registers.set(command)
    return feature_map(registers, which, shape, SIZES)


def _input(draw: _Draw, shape: Shape, names: Names, which: str = "IFM") -> FeatureMap:
    """What an operation before has stored, if it fits, or any map."""
    stored = [one.writes for one in draw.before if one.writes is not None]
    fitting = [one for one in stored if one.shape == shape and one.dtype.name in names]
    return fitting[-1] if fitting and draw.number(0, 4) else random_map(draw, which, shape, names)


def _shape(draw: _Draw) -> Shape:
    for one in draw.before[-1:]:
        if one.writes is not None and draw.one_of(True, False):
            return one.writes.shape
    return draw.one_of(1, 2, 4, 5), draw.one_of(1, 2, 4, 6), draw.one_of(1, 2, 3, 8, 16, 17, 24, 32)


def _names(draw: _Draw, *others: str) -> Names:
    return ("int8",) if draw.is_tflites else ("int8", *others)


# -- results


def _scale(draw: _Draw) -> Scale:
    """As networks have them, and any."""
    if draw.is_tflites or draw.number(0, 4):
        return Scale(draw.number(1 << 30, 1 << 31), draw.number(31, 46))
    return Scale(draw.number(0, 1 << 32), draw.number(0, 64))


def _result(draw: _Draw, shape: Shape, scale: Scale | None, names: Names) -> Result:
    target = random_map(draw, "OFM", shape, names)
    rounding = "double" if draw.is_tflites else draw.one_of(*ROUNDINGS)
    info = np.iinfo(target.dtype)
    low, high = int(info.min), int(info.max)
    if draw.number(0, 3) == 0:
        low, high = sorted(draw.number(max(low, -200), min(high, 200) + 1) for _ in range(2))
    zero_point = draw.one_of(0, -5, 9, 128) if target.dtype.itemsize < 4 else 0
    plain = Result(target, rounding, scale, zero_point, (low, high))
    kind = draw.number(0, 6)
    if kind == 0 and target.dtype == np.int16:
        return replace(plain, curve=draw.one_of("tanh", "logistic"))
    if kind == 1 and target.dtype == np.int16:
        return replace(plain, table=draw.rng.integers(-1 << 15, 1 << 15, (512, 2)))
    if kind == 2:
        narrow = np.iinfo(draw.one_of(*_names(draw, "uint8")))
        first, last = int(narrow.min), int(narrow.max)
        table = draw.rng.integers(info.min, info.max + 1, 256)
        return replace(plain, table=table, limits=(first, last), first=first)
    return plain


# -- operations


def _window(draw: _Draw, size: tuple[int, int]) -> Window:
    def pair(*values: int) -> tuple[int, int]:
        return draw.one_of(*values), draw.one_of(*values)

    kernel, stride, dilation = pair(1, 1, 2, 3), pair(1, 1, 2, 3), pair(1, 1, 2)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    top, left, bottom, right = (draw.number(0, extent[i % 2]) for i in range(4))
    padding = draw.one_of((top, left, bottom, right), (0, 0, 0, 0))
    height, width = (
        (n - 1) * step + length - padding[axis] - padding[axis + 2]
        for axis, (n, step, length) in enumerate(zip(size, stride, extent, strict=True))
    )
    if min(height, width) < 1:
        raise StreamError("nothing but padding")
    upscale = "" if draw.is_tflites else draw.one_of("", "", *UPSCALES)
    return Window(kernel, stride, dilation, padding, upscale, (height, width))


def _held(window: Window) -> tuple[int, int]:
    height, width = window.input
    return (-(-height // 2), -(-width // 2)) if window.upscale else (height, width)


def _convolution(draw: _Draw, number: int) -> Convolution:
    shape = _shape(draw)
    window, is_depthwise = _window(draw, shape[:2]), draw.number(0, 3) == 0
    depth = shape[2] if is_depthwise else draw.one_of(1, 3, 8, 16, 24)
    source = _input(draw, (*_held(window), depth), _names(draw, "int8", "uint8", "int16"))
    most = 127 if draw.is_tflites else draw.one_of(127, 255)
    kernel = shape[2], *window.kernel, 1 if is_depthwise else depth
    scales = [_scale(draw) for _ in range(shape[2])]
    bias = draw.rng.integers(-(1 << 15), 1 << 15, shape[2])
    return Convolution(
        *(number, 0, source, _result(draw, shape, None, _names(draw, "uint8", "int16", "int32"))),
        window,
        weights=draw.rng.integers(-most, most + 1, kernel).astype(np.int16),
        bias=bias if draw.is_tflites else bias << draw.one_of(0, 24),
        multiplier=np.array([one.multiplier for one in scales]),
        shift=np.array([one.shift for one in scales]),
        is_depthwise=is_depthwise,
        streams=(),
        is_part_first=False,
    )


_OTHERS = ("int8", "uint8", "int16", "uint16", "int32")


def _pool(draw: _Draw, number: int) -> Pool:
    kind, shape, names = draw.one_of(*POOLS), _shape(draw), _names(draw, *_OTHERS)
    window = _window(draw, shape[:2])
    size: Shape = (*_held(window), shape[2])
    if kind == "sum":
        size, shape = shape, (*shape[:2], 1)
    scale = draw.one_of(_scale(draw), None)
    source = _input(draw, size, names)
    return Pool(number, 0, source, _result(draw, shape, scale, names), kind, window)


def _elementwise(draw: _Draw, number: int) -> Elementwise:
    function = draw.one_of(*FUNCTIONS, "add", "add")
    shape, names = _shape(draw), _names(draw, *_OTHERS)
    source = _input(draw, shape, names)
    other: FeatureMap | int | None = None
    if function not in UNARY:
        other = draw.number(-300, 300)
        if draw.number(0, 4):
            narrow = tuple(draw.one_of(1, n, n) for n in shape)
            height, width, depth = draw.one_of(shape, narrow)
            other = _input(
                draw, (height, width, depth), draw.one_of((source.dtype.name,), names), "IFM2"
            )
    scales: tuple[Operand, Operand] | None = None
    if function in ("add", "sub", "leaky") or draw.number(0, 6) == 0:
        left = draw.one_of(20, 20, 15, 0)
        scales = _operand(draw, left), _operand(draw, left)
    scale = _scale(draw) if draw.number(0, 3) or function == "lrelu" else None
    return Elementwise(
        *(number, 0, source, _result(draw, shape, scale, names), function, other),
        is_reversed=draw.number(0, 4) == 0,
        scales=scales,
        is_wide=source.dtype.itemsize == 4,
        has_bytes=source.dtype.itemsize == 1,
    )


def _operand(draw: _Draw, left: int) -> Operand:
    """Scaled as TFLite does, or otherwise, or shifted by a fixed number."""
    if draw.number(0, 3) == 0:
        return Operand(1, left=max(left - 1, 0))
    if draw.number(0, 4) == 0:
        return Operand(draw.number(0, 1 << 31))
    rounding = draw.one_of("double", "double", "double", "natural")
    return Operand(draw.number(1 << 30, 1 << 31), draw.number(31, 40), left, rounding)


def _resize(draw: _Draw, number: int) -> Resize:
    shape, names = _shape(draw), _names(draw, *_OTHERS)
    source = _input(draw, (draw.number(1, 6), draw.number(1, 6), shape[2]), names)
    parts = draw.number(1, 20), draw.number(1, 20)
    step = draw.number(0, 30), draw.number(0, 30)
    offset = draw.number(-20, 20), draw.number(-20, 20)
    result = _result(draw, shape, Scale(1, draw.number(14, 30)), names)
    mode = draw.one_of("bilinear", "nearest")
    return Resize(number, 0, source, result, mode, parts, step, offset)


def _copy(draw: _Draw, number: int) -> Copy:
    source, target, length = draw.one_of(0, 1), draw.one_of(1, 1, 2), draw.number(0, 60)
    first, begin = (draw.number(0, SIZES[region] - length) for region in (source, target))
    return Copy(number, 0, (source, first), (target, begin), length)
