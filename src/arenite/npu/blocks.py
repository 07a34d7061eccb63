"""The blocks in which an NPU computes an operation's output, and what each needs of the input.

Facts: Vela 5.2.0 ``architecture_allocator.py`` (``_get_ifm_blocksize``, ``_ifm_blockdepth``),
``npu_performance.py`` (``measure_element_access``).
"""

from __future__ import annotations

from collections.abc import Iterator

from arenite.npu.feature_map import BRICK, FeatureMap, Shape
from arenite.npu.operations import Convolution, Elementwise, Operation, Pool, Resize

#: Operations with a kernel, and all that compute.
Windowed = Convolution | Pool
Layer = Windowed | Elementwise
#: Parts of a kernel that go through the units at a time.
_PART = 8


def least(one: Shape, other: Shape) -> Shape:
    """The smaller size along every axis."""
    height, width, depth = (min(a, b) for a, b in zip(one, other, strict=True))
    return height, width, depth


def units_of(shape: Shape, unit: Shape) -> Shape:
    """The number of units that a shape takes along every axis."""
    rows, columns, depth = (-(-n // size) for n, size in zip(shape, unit, strict=True))
    return rows, columns, depth


def parts(kernel: tuple[int, int]) -> Iterator[int]:
    """Elements of each part of a kernel."""
    for row in range(0, kernel[0], _PART):
        for column in range(0, kernel[1], _PART):
            yield min(kernel[0] - row, _PART) * min(kernel[1] - column, _PART)


def keeps_depth(operation: Operation) -> bool:
    """Whether each output channel comes from the input's channel of its number."""
    if isinstance(operation, Convolution):
        return operation.is_depthwise
    if isinstance(operation, Pool):
        return operation.kind != "sum"
    return isinstance(operation, (Elementwise, Resize))


def input_depth(operation: Layer) -> int:
    """Channels of a block of the input."""
    depth = operation.input.shape[2]
    if keeps_depth(operation):
        return operation.result.block[2]
    if operation.input.dtype.itemsize == 2:
        return -(-min(depth, 16) // 4) * 4
    most = 16 if isinstance(operation, Convolution) and operation.is_part_first else 32
    return -(-min(depth, most) // 8) * 8


def input_block(operation: Layer) -> Shape:
    """The part of the input that a block of the output needs."""
    if isinstance(operation, Elementwise):
        return operation.result.block
    window, block = operation.window, operation.result.block
    sizes = []
    for axis in range(2):
        extent = (window.kernel[axis] - 1) * window.dilation[axis] + 1
        size = (block[axis] - 1) * window.stride[axis] + min(extent, _PART)
        if window.upscale:
            size = -(-(size + (window.upscale == "nearest")) // 2)
        sizes.append(size)
    return sizes[0], sizes[1], input_depth(operation)


def blocks(operation: Layer) -> Shape:
    """The number of blocks of an output, along every axis."""
    shape = operation.result.map.shape
    return units_of(shape, least(shape, operation.result.block))


def rounded(one: FeatureMap) -> int:
    """Elements with what whole bricks have beside them."""
    height, width, depth = one.shape
    return height * width * (-(-depth // BRICK) * BRICK if one.is_bricks else depth)


def fetched(operation: Layer) -> Iterator[tuple[FeatureMap, int]]:
    """Maps, and how many of their elements are fetched, for every block again."""
    if isinstance(operation, Elementwise):
        for one in operation.reads:
            yield one, rounded(one)
        return
    source = operation.reads[0]
    block = least(source.shape, input_block(operation))
    rows, columns, depth = blocks(operation)
    times = len(list(parts(operation.window.kernel))) * rows * columns
    if not keeps_depth(operation) and isinstance(operation, Convolution):
        times *= depth
    channels = -(-source.shape[2] // BRICK) * BRICK if source.is_bricks else source.shape[2]
    yield source, block[0] * block[1] * channels * times
