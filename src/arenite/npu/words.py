"""Operations of a stream in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arenite.npu.constants import FAST, READ_ONLY, WORK
from arenite.npu.feature_map import INSIDE, FeatureMap
from arenite.npu.operations import (
    Convolution,
    Copy,
    Elementwise,
    Gather,
    Operation,
    Pool,
    Product,
    Resize,
    Result,
    Window,
)

#: Regions by number.
REGIONS = {READ_ONLY: "constants", WORK: "memory to work in", FAST: "fast memory"}
_SIGNS = {"mul": "*", "add": "+", "sub": "-"}
_POOLS = {"sum": "sum of depth", "total": "sum of window", "none": "copy of a map"}
#: Axes of a map, by number.
_AXES = "HWC"


def kind_of(operation: Operation) -> str:
    """One word for what an operation is."""
    if isinstance(operation, Copy):
        return "copy"
    if isinstance(operation, Convolution):
        return "depthwise" if operation.is_depthwise else "convolution"
    if isinstance(operation, Pool):
        return _POOLS.get(operation.kind, f"{operation.kind} pool")
    if isinstance(operation, Resize):
        return f"resize {operation.mode}"
    if isinstance(operation, Product):
        return "product"
    if isinstance(operation, Gather):
        return "gather"
    assert isinstance(operation, Elementwise)
    return operation.function


def sentence(operation: Operation) -> str:
    """A sentence on what an operation reads, does and stores."""
    if isinstance(operation, Copy):
        return _copy(operation)
    if isinstance(operation, Convolution):
        way = "part kernel first" if operation.is_part_first else "depth first"
        length = sum(stream[2] for stream in operation.streams)
        weights = f"{operation.weights.size:,} weights in {length:,} bytes, {way}"
        parts = [_window(operation.window), weights, "a scale per channel"]
        return _through(operation.input, parts, operation.result)
    if isinstance(operation, Pool):
        return _through(operation.input, [_window(operation.window)], operation.result)
    if isinstance(operation, Gather):
        count, rows, length = operation.target.shape
        _, most, _ = operation.table.shape
        return f"{count}x{rows} rows of {length} bytes, each of {most} by its number"
    if isinstance(operation, Product):
        return _through(operation.input, [f"* {map_text(operation.other)}"], operation.result)
    if isinstance(operation, Resize):
        return _through(operation.input, list(_steps(operation)), operation.result)
    assert isinstance(operation, Elementwise)
    return _through(operation.input, _operands(operation), operation.result)


def _steps(operation: Resize) -> Iterator[str]:
    for axis, step, parts, offset in zip(
        ("rows", "columns"), operation.step, operation.parts, operation.offset, strict=True
    ):
        yield f"{axis} {step}/{parts} apart from {offset}/{parts}"


def _copy(copy: Copy) -> str:
    region, begin = copy.source
    target = "the table memory" if copy.target[0] is None else REGIONS[copy.target[0]]
    place = f"{copy.target[1]:,} of {target}"
    return f"{copy.length:,} bytes from {begin:,} of {REGIONS[region]} to {place}"


def map_text(one: FeatureMap) -> str:
    """``int8 25x5x64``, with its layout where it is not the plain one."""
    height, width, depth = one.shape
    text = f"{one.dtype} {height}x{width}x{depth}"
    if one.region >= INSIDE:
        return (
            f"{text} of sums"
            if one.dtype.itemsize == 8
            else f"{text} in chain {one.region - INSIDE}"
        )
    turned = "".join(_AXES[axis] for axis in one.axes)
    text += "" if turned == _AXES else f" as {turned}"
    return f"{text} in bricks" if one.is_bricks else text


def _through(source: FeatureMap, parts: list[str], result: Result) -> str:
    words = [part for part in (*parts, *_end(result)) if part]
    return f"{map_text(source)} -> {map_text(result.map)}{': ' if words else ''}{', '.join(words)}"


def _window(window: Window) -> str:
    height, width = window.kernel
    parts = [f"kernel {height}x{width}"]
    if window.stride != (1, 1):
        parts.append(f"stride {window.stride[0]}x{window.stride[1]}")
    if window.dilation != (1, 1):
        parts.append(f"dilation {window.dilation[0]}x{window.dilation[1]}")
    if window.is_padded:
        parts.append("padding " + "/".join(map(str, window.padding)))
    if window.upscale:
        parts.append(f"upscaled ({window.upscale})")
    return ", ".join(parts)


def _operands(operation: Elementwise) -> list[str]:
    other = operation.other
    if other is None:
        return []
    text = f"the number {other}" if isinstance(other, int) else map_text(other)
    sign = _SIGNS.get(operation.function, operation.function)
    parts = [f"{text} {sign} it" if operation.is_reversed else f"{sign} {text}"]
    scaled = sum(bool(one.rounding) for one in operation.scales or ())
    if scaled:
        parts.append("one operand scaled" if scaled == 1 else "both operands scaled")
    return parts


def _end(result: Result) -> list[str]:
    parts = [] if result.rounding == "double" else [f"rounded {result.rounding}"]
    if result.curve:
        parts.append(result.curve)
    if result.table is not None:
        parts.append("a table of pairs" if result.table.ndim == 2 else "a table")
    info = np.iinfo(result.map.dtype)
    if result.limits != (info.min, info.max):
        parts.append(f"limits {result.limits[0]} to {result.limits[1]}")
    return parts
