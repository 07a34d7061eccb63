"""Operations of a stream in words."""

from __future__ import annotations

import numpy as np

from arenite.npu.constants import FAST, READ_ONLY, WORK
from arenite.npu.feature_map import FeatureMap
from arenite.npu.operations import Convolution, Copy, Elementwise, Operation, Pool, Result, Window

#: Regions by number.
REGIONS = {READ_ONLY: "constants", WORK: "memory to work in", FAST: "fast memory"}
_SIGNS = {"mul": "*", "add": "+", "sub": "-"}


def kind_of(operation: Operation) -> str:
    """One word for what an operation is."""
    if isinstance(operation, Copy):
        return "copy"
    if isinstance(operation, Convolution):
        return "depthwise" if operation.is_depthwise else "convolution"
    if isinstance(operation, Pool):
        return f"{operation.kind} pool" if operation.kind != "sum" else "sum of depth"
    assert isinstance(operation, Elementwise)
    return operation.function


def sentence(operation: Operation) -> str:
    """What an operation reads, does and stores."""
    if isinstance(operation, Copy):
        return _copy(operation)
    if isinstance(operation, Convolution):
        way = "part kernel first" if operation.is_part_first else "depth first"
        weights = f"{operation.weights.size:,} weights in {operation.stream[2]:,} bytes, {way}"
        parts = [_window(operation.window), weights, "a scale per channel"]
        return _through(operation.input, parts, operation.result)
    if isinstance(operation, Pool):
        return _through(operation.input, [_window(operation.window)], operation.result)
    assert isinstance(operation, Elementwise)
    return _through(operation.input, _operands(operation), operation.result)


def _copy(copy: Copy) -> str:
    region, begin = copy.source
    target = "the table memory" if copy.target[0] is None else REGIONS[copy.target[0]]
    place = f"{copy.target[1]:,} of {target}"
    return f"{copy.length:,} bytes from {begin:,} of {REGIONS[region]} to {place}"


def map_text(one: FeatureMap) -> str:
    """``int8 25x5x64``, with its layout where it is not the plain one."""
    height, width, depth = one.shape
    return f"{one.dtype} {height}x{width}x{depth}{' in bricks' if one.is_bricks else ''}"


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
    if operation.function in ("add", "sub") and None in operation.scales:
        parts.append("one operand scaled")
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
