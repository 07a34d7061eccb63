"""Common parts of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: images and parts as batches.

An image is cut into blocks; all pixels at the same place of their blocks make an image of their
own, which is a batch. A margin around the image counts for the blocks. Tensors of 3 dimensions
are images of one column.

Facts: TFLM ``micro/kernels/space_to_batch_nd.cc`` and ``batch_to_space_nd.cc``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from arenite.model.types import FLOAT32, INT8, INT32
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor

Shape = tuple[int, ...]
#: Axes of blocks, of what lies in them, and what they are of: one image per place in a block.
TO_BATCHES = (2, 4, 0, 1, 3, 5)
TO_IMAGES = (2, 3, 0, 4, 1, 5)


class Blocks(NamedTuple):
    """Block sizes and margins, rows first."""

    size: tuple[int, int]
    before: tuple[int, int]
    behind: tuple[int, int]

    @property
    def places(self) -> int:
        """The number of pixels of a block."""
        return prod(self.size)


def blocks_for_each_axis(node: c.NodeView) -> bool:
    """The block sizes (input 1) are int32, one for each of the 1 or 2 axes of an image."""
    return _has_int32s(node, 1, len(node.input(0).shape) - 2)


def margins_for_each_axis(node: c.NodeView) -> bool:
    """The margins (input 2) are int32, two for each of the 1 or 2 axes of an image."""
    return _has_int32s(node, 2, 2 * (len(node.input(0).shape) - 2))


def _has_int32s(node: c.NodeView, index: int, count: int) -> bool:
    tensor = node.input(index)
    return tensor.type is INT32 and tensor.size >= count


def as_many_dimensions(node: c.NodeView) -> bool:
    """Output 0 has as many dimensions as input 0."""
    return len(node.output(0).shape) == len(node.input(0).shape)


CONSTRAINTS = (
    *c.counts(3, 1),
    c.input_types(0, FLOAT32, INT8),
    c.same_type(),
    c.rank(0, 3, 4),
    as_many_dimensions,
    blocks_for_each_axis,
    margins_for_each_axis,
)


#: The output's shape, from the input's.
ShapeOf = Callable[[Context, Shape, "Blocks"], Shape]


def settle(context: Context, node: Node, shape_of: ShapeOf) -> Blocks | None:
    """Give the output its shape; the blocks, or None where sizes or margins are fed.

    As in TFLM, these take no temporary tensors.
    """
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    sizes, margins = (context.view_tensor(index).data for index in node.inputs[1:])
    if sizes is None or margins is None:
        return None
    blocks = _blocks(context, len(inp.shape), sizes, margins)
    context.resize_tensor(output.index, shape_of(context, inp.shape, blocks), "refused")
    return blocks


def move(
    context: Context, node: Node, shape_of: ShapeOf, moved: Callable[[Blocks, Array], Array]
) -> None:
    """Fill the output with the input's pixels, as the blocks are that the node runs with."""
    x, sizes, margins = (input_array(context, node, i) for i in range(3))
    out, blocks = output_array(context, node), _blocks(context, x.ndim, sizes, margins)
    if shape_of(context, x.shape, blocks) != out.shape:
        context.report_error(f"{blocks} do not make {list(out.shape)} of {list(x.shape)}")
    out[...] = moved(blocks, x.reshape(as_image(x.shape))).reshape(out.shape)


def _blocks(context: Context, rank: int, sizes: Array, margins: Array) -> Blocks:
    axes = rank - 2
    size, pairs = sizes.reshape(-1)[:axes].tolist(), margins.reshape(-1)[: 2 * axes].tolist()
    if min(size) < 1 or min(pairs) < 0:
        context.report_error(
            f"expected blocks of 1 or more and no margin under 0, got {size}, {pairs}"
        )
    if axes == 1:
        size, pairs = [*size, 1], [*pairs, 0, 0]
    return Blocks((size[0], size[1]), (pairs[0], pairs[2]), (pairs[1], pairs[3]))


def as_image(shape: Shape) -> Shape:
    """Batches, rows, columns, depth."""
    return shape if len(shape) == 4 else (*shape[:2], 1, shape[2])


def batched_shape(context: Context, shape: Shape, blocks: Blocks) -> Shape:
    """The shape of an image's parts as batches, of as many dimensions."""
    batches, *image, depth = as_image(shape)
    whole = [before + n + behind for n, before, behind in zip(image, *blocks[1:], strict=True)]
    if any(n % size for n, size in zip(whole, blocks.size, strict=True)):
        context.report_error(f"{whole} pixels with their margins must divide into {blocks.size}")
    parts = [n // size for n, size in zip(whole, blocks.size, strict=True)]
    return _with_rank(len(shape), (batches * blocks.places, *parts, depth))


def image_shape(context: Context, shape: Shape, blocks: Blocks) -> Shape:
    """The shape of the image that batches make."""
    batches, *parts, depth = as_image(shape)
    whole = [n * size for n, size in zip(parts, blocks.size, strict=True)]
    image = [n - before - behind for n, before, behind in zip(whole, *blocks[1:], strict=True)]
    if batches % blocks.places or min(image) < 0:
        context.report_error(
            f"{batches} batches must divide into the {blocks.places} pixels of a block, and "
            f"margins leave something of {whole} pixels, got {blocks.before}, {blocks.behind}"
        )
    return _with_rank(len(shape), (batches // blocks.places, *image, depth))


def _with_rank(rank: int, shape: Shape) -> Shape:
    return shape if rank == 4 else (*shape[:2], shape[3])
