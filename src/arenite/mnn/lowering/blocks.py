"""Operators that move elements between an image's pixels and its channels, or the batch.

Facts: MNN 3.6.1 ``shape/ShapeDepthToSpace.cpp``, ``ShapeSpaceToBatchND.cpp``,
``ShapeBatchToSpaceND.cpp``, ``geometry/GeometryDepthToSpace.cpp``,
``GeometrySpaceToBatchND.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import Format, OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.gathers import dense
from arenite.mnn.lowering.graph_builder import GraphBuilder, Layout, Value
from arenite.mnn.lowering.windows import Images, Pair
from arenite.mnn.operators.raster import MnnRasterOptions, Region

# -- channels -----------------------------------------------------------------------------

DCR, CRD = 0, 1


def depth_to_space(g: GraphBuilder, op: Op) -> None:
    """DepthToSpace and SpaceToDepth: blocks of pixels as channels."""
    x = g.input(op)
    block, mode = op.main.get("blockSize", 0), op.main.get("mode", DCR)
    if x.rank != 4 or block < 1 or mode not in (DCR, CRD):
        g.fail(op, f"cannot rearrange {list(x.shape)} in blocks of {block}, mode {mode}")
    n, height, width, channels = (x.shape[a] for a in last_order(x))
    to_space = op.type is OpType.DepthToSpace
    area = block * block
    if channels % area if to_space else height % block or width % block:
        g.fail(op, f"{list(x.shape)} does not divide into blocks of {block}")
    large = small = x_shape(x)
    if to_space:
        large = (n, height * block, width * block, channels // area)
    else:
        small = (n, height // block, width // block, channels * area)
    result = large if to_space else small
    last = x.format is Format.NHWC
    y = g.output(op, result if last else (result[0], result[3], *result[1:3]), x)
    box = (small[0], small[1], block, small[2], block, large[3])
    fine, coarse = block_strides(large, small, block, mode)
    whole = (coarse, fine) if to_space else (fine, coarse)
    region = Region(0, 0, whole[0], 0, whole[1], box)
    source = g.tensor(x, Layout.LAST)
    g.emit("MNN_RASTER", [source], [g.new(y, Layout.LAST)], MnnRasterOptions((region,)))


def last_order(x: Value) -> tuple[int, ...]:
    """The axes of an image in the order NHWC."""
    return (0, 1, 2, 3) if x.format is Format.NHWC else (0, 2, 3, 1)


def x_shape(x: Value) -> Shape:
    """An image's shape, NHWC."""
    return tuple(x.shape[axis] for axis in last_order(x))


def block_strides(large: Shape, small: Shape, block: int, mode: int) -> tuple[Shape, Shape]:
    """Strides over (n, row, row in block, column, column in block, channel) of both images."""
    n, row, column, _ = dense(large)
    fine = (n, block * row, row, block * column, column, 1)
    n, row, column, _ = dense(small)
    channels = large[3]
    down, right, channel = (block * channels, channels, 1)
    if mode == CRD:
        down, right, channel = block, 1, block * block
    return fine, (n, row, down, column, right, channel)


# -- batches ------------------------------------------------------------------------------

#: Positions in a block; each is a piece to copy.
_MOST_POSITIONS = 1024


def space_to_batch(g: GraphBuilder, op: Op) -> None:
    """SpaceToBatchND and BatchToSpaceND: every position in a block has images of its own."""
    x = g.input(op)
    block, pads = blocks(g, op)
    images = Images.of(g, op, x)
    positions = prod(block)
    (top, bottom), (left, right) = pads
    divides = op.type is OpType.SpaceToBatchND
    if divides:
        rows, columns = images.size[0] + top + bottom, images.size[1] + left + right
        fits = rows % block[0] == columns % block[1] == 0
        size, batches = (rows // block[0], columns // block[1]), images.batches * positions
    else:
        fits = images.batches % positions == 0
        height, width = (n * b for n, b in zip(images.size, block, strict=True))
        size, batches = (height - top - bottom, width - left - right), images.batches // positions
    if not fits or min(size) < 1 or x.rank != 4:
        g.fail(op, f"{list(x.shape)} does not divide into blocks of {block} with padding {pads}")
    y = g.output(op, (batches, *images.logical(size, images.channels)[1:]), x)
    source, target = images.tensor(g), g.new(y, Layout.LAST)
    result = (batches, *size, images.channels)
    if divides:
        pieces = tuple(pieces_of(images.shape, result, block, (top, left)))
    else:
        pieces = tuple(map(turned, pieces_of(result, images.shape, block, (top, left))))
    g.emit("MNN_RASTER", [source], [target], MnnRasterOptions(pieces))


def blocks(g: GraphBuilder, op: Op) -> tuple[Pair, tuple[Pair, Pair]]:
    """The block's height and width, and the paddings before and behind both."""
    if len(op.inputs) == 3:
        numbers = [g.known(op, place).reshape(-1).tolist() for place in (1, 2)]
    else:
        numbers = [listed(op.main.get(name)) for name in ("blockShape", "padding")]
    block, pads = numbers
    if len(block) == 1 and len(pads) == 2:
        block, pads = [*block, 1], [*pads, 0, 0]
    if len(block) != 2 or len(pads) != 4 or min(block) < 1 or min(pads) < 0:
        g.fail(op, f"expected blocks and paddings in 1 or 2 dimensions, got {block} and {pads}")
    if prod(block) > _MOST_POSITIONS:
        g.fail(op, f"expected blocks of at most {_MOST_POSITIONS} positions, got {block}")
    return (block[0], block[1]), ((pads[0], pads[1]), (pads[2], pads[3]))


def listed(blob: Row | None) -> list[int]:
    """A Blob's integers."""
    return [] if blob is None or blob["int32s"] is None else blob["int32s"].tolist()


def pieces_of(large: Shape, small: Shape, block: Pair, padding: Pair) -> Iterator[Region]:
    """For each position in a block: the pixels there, and the images that are theirs.

    ``large`` is the shape of the images without the padding; positions that fall into the
    padding are left out.
    """
    n, row, column, _ = dense(large)
    image, small_row, small_column, _ = dense(small)
    for number in range(prod(block)):
        place = divmod(number, block[1])
        starts, counts = [], []
        for axis in range(2):
            step, offset = block[axis], place[axis] - padding[axis]
            first = max(-(offset // step), 0)
            last = min(-((offset - large[axis + 1]) // step), small[axis + 1])
            starts.append(first)
            counts.append(max(last - first, 0))
        if min(counts) == 0:
            continue
        begin = [
            start * b + p - q for start, b, p, q in zip(starts, block, place, padding, strict=True)
        ]
        yield Region(
            0,
            begin[0] * row + begin[1] * column,
            (n, row * block[0], column * block[1], 1),
            number * large[0] * image + starts[0] * small_row + starts[1] * small_column,
            (image, small_row, small_column, 1),
            (large[0], counts[0], counts[1], large[3]),
        )


def turned(piece: Region) -> Region:
    """The piece copied the other way."""
    return Region(
        piece.source,
        piece.target_offset,
        piece.target_strides,
        piece.offset,
        piece.strides,
        piece.size,
    )


MAPPINGS = {
    OpType.DepthToSpace: depth_to_space,
    OpType.SpaceToDepth: depth_to_space,
    OpType.SpaceToBatchND: space_to_batch,
    OpType.BatchToSpaceND: space_to_batch,
}
