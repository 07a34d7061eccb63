"""Pooling, with MNN's paddings and its two ways of counting.

Facts: MNN 3.6.1 ``shape/ShapePool.cpp``, ``backend/cpu/CPUPool.cpp``, ``CPUPool.hpp``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import GraphBuilder
from arenite.mnn.lowering.quantization import computes_in_int8
from arenite.mnn.lowering.values import Key, Layout, Value
from arenite.mnn.lowering.windows import CAFFE, SAME, VALID, Images, Pair, Slide
from arenite.mnn.operators.average_pool import MnnAveragePoolOptions
from arenite.model import OptionsTable
from arenite.ops.kernel_util import Padding
from arenite.ops.shared.placed import PlacedPool2DOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.pad import PadOptions

#: ``enum PoolType``, ``enum AvgPoolCountType``
MAX, AVERAGE = 0, 1
DEFAULT, INCLUDE_PADDING, EXCLUDE_PADDING = 0, 1, 2


def pooling(g: GraphBuilder, op: Op) -> None:
    """Pooling: the maximum or the mean of every window."""
    row = op.main
    if row["type"] not in (MAX, AVERAGE):
        g.fail(op, f"expected a maximum (0) or a mean (1), got type {row['type']}", ".main.type")
    if len(op.outputs) > 1:
        g.fail(op, "positions of the maxima as a second output are not supported")
    images = Images.of(g, op, g.input(op))
    slide = slide_of(g, op, row, images.size)
    y = g.output(op, images.logical(slide.output, images.channels), images.value)
    if computes_in_int8(op, g.steps):
        check_windows(g, op, slide)
        pool_int8(g, op, images, slide, y)
        return
    source = images.tensor(g)
    if row["type"] == AVERAGE and counts_padding(row) and slide.padding != (0, 0):
        source, slide = padded(g, images, source, slide)
    check_windows(g, op, slide)
    shape = (images.batches, *slide.output, images.channels)
    target = g.new(y, Layout.LAST, shape)
    name = "MAX_POOL_2D" if row["type"] == MAX else "AVERAGE_POOL_2D"
    g.emit(name, [source], [target], options_of(slide))


def slide_of(g: GraphBuilder, op: Op, row: Row, size: Pair) -> Slide:
    """The windows."""
    if row["isGlobal"]:
        return Slide(size, size, size).checked(g, op, (0, 0), (1, 1))
    slide = Slide(size, (row["kernelY"], row["kernelX"]), (row["strideY"], row["strideX"]))
    slide = slide.checked(g, op, (0, 0), (1, 1))
    before, behind = paddings(g, op, row)
    mode = row["padType"]
    if mode in (SAME, VALID) and (row["padX"] or row["padY"]):
        g.fail(op, "SAME and VALID go without explicit padding", ".main.padX")
    counts, pads = [], []
    for axis in range(2):
        n, step = size[axis] + before[axis] + behind[axis], slide.stride[axis]
        # A kernel may be larger than the image.
        kernel = min(slide.kernel[axis], n)
        pad = before[axis] if mode == CAFFE else 0
        if mode == SAME:
            count = -(-n // step)
            pad = max((count - 1) * step + slide.kernel[axis] - size[axis], 0) // 2
        elif mode == VALID:
            count = -(-(n - kernel + 1) // step)
        else:
            count = (n - kernel + (step - 1 if row["ceilModel"] else 0)) // step + 1
        counts.append(count)
        pads.append(pad)
    return slide.checked(g, op, (pads[0], pads[1]), (counts[0], counts[1]))


def paddings(g: GraphBuilder, op: Op, row: Row) -> tuple[Pair, Pair]:
    """The padding that the file says, before and behind the image."""
    pads = row["pads"]
    if pads is None:
        both = (row["padY"], row["padX"])
        return both, both
    numbers = [int(pad) for pad in pads]
    if len(numbers) == 2:
        return (numbers[0], 0), (numbers[1], 0)
    if len(numbers) != 4:
        g.fail(op, f"expected 2 or 4 paddings, got {len(numbers)}", ".main.pads")
    return (numbers[0], numbers[1]), (numbers[2], numbers[3])


def counts_padding(row: Row) -> bool:
    """Whether means divide by elements of the padding too."""
    if row["countType"] == DEFAULT:
        # Explicit paddings (pads) make MNN take the mode for VALID here.
        return bool(row["padType"] == CAFFE and row["pads"] is None and not row["isGlobal"])
    return bool(row["countType"] == INCLUDE_PADDING)


def padded(g: GraphBuilder, images: Images, source: int, slide: Slide) -> tuple[int, Slide]:
    """The images with zeros around them, which count: as many behind as before."""
    top, left = slide.padding
    pairs = np.array([[0, 0], [top, top], [left, left], [0, 0]], np.int32)
    height, width = images.size[0] + 2 * top, images.size[1] + 2 * left
    shape = (images.batches, height, width, images.channels)
    name = images.value.name
    target = g.temporary(shape, images.value.type, f"{name} (padded)")
    g.emit("PAD", [source, g.constant(pairs, "paddings")], [target], PadOptions())
    return target, replace(slide, size=(height, width), padding=(0, 0))


def check_windows(g: GraphBuilder, op: Op, slide: Slide) -> None:
    """Every window meets the image."""
    for axis in range(2):
        last = (slide.output[axis] - 1) * slide.stride[axis] - slide.padding[axis]
        if last >= slide.size[axis] or slide.kernel[axis] <= slide.padding[axis]:
            g.fail(op, f"a window lies outside of the image {slide.size}")


def window_fields(slide: Slide) -> dict[str, int]:
    """Fields of all rows of poolings."""
    return {
        "stride_h": slide.stride[0],
        "stride_w": slide.stride[1],
        "filter_height": slide.kernel[0],
        "filter_width": slide.kernel[1],
    }


def options_of(slide: Slide) -> OptionsTable:
    """The options of a pooling."""
    fields = window_fields(slide)
    if slide.scheme is not None:
        return Pool2DOptions(padding=slide.scheme, **fields)
    return PlacedPool2DOptions(padding=Padding.SAME, placement=slide.placement, **fields)


def pool_int8(g: GraphBuilder, op: Op, images: Images, slide: Slide, y: Value) -> None:
    """Pooling of int8, whose means leave out the padding and are cut off."""
    steps = g.steps[op.inputs[0]]
    held = g.bytes(images.value, Key(Layout.LAST, steps))
    source = g.shaped(held, images.shape, images.value.name)
    shape = (images.batches, *slide.output, images.channels)
    target = g.new(y, Layout.LAST, shape, steps=steps)
    if op.main["type"] == MAX:
        g.emit("MAX_POOL_2D", [source], [target], options_of(slide))
        return
    options = MnnAveragePoolOptions(placement=slide.placement, **window_fields(slide))
    g.emit("MNN_AVERAGE_POOL", [source], [target], options)


def pooling_3d(g: GraphBuilder, op: Op) -> None:
    """Pooling3D over all of an image, which is how ONNX's global pooling arrives."""
    row = op.main
    if not row["isGlobal"] or row["type"] not in (MAX, AVERAGE):
        g.fail(op, "pooling in three dimensions is not supported, unless it is global")
    images = Images.of(g, op, g.input(op))
    slide = Slide(images.size, images.size, images.size).checked(g, op, (0, 0), (1, 1))
    y = g.output(op, images.logical((1, 1), images.channels), images.value)
    if computes_in_int8(op, g.steps):
        pool_int8(g, op, images, slide, y)
        return
    target = g.new(y, Layout.LAST, (images.batches, 1, 1, images.channels))
    name = "MAX_POOL_2D" if row["type"] == MAX else "AVERAGE_POOL_2D"
    g.emit(name, [images.tensor(g)], [target], options_of(slide))


MAPPINGS = {OpType.Pooling: pooling, OpType.Pooling3D: pooling_3d}
