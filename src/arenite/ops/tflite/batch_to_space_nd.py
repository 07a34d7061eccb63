"""BATCH_TO_SPACE_ND: the image of which batches are the parts, and of that all but the margins.

Undefined in TFLM: pixels of the output stay as they were if a margin is negative, or if there are
not as many batches as a block has pixels; this is refused.

Facts: TFLM ``micro/kernels/batch_to_space_nd.cc`` and ``reference/batch_to_space_nd.h``. Block
sizes and margins may be fed.
"""

from __future__ import annotations

from arenite.model import OptionsTable
from arenite.ops import MOVES_INT8, Array, Context, Node, Registration, Traits
from arenite.ops.shared import batch_space


class BatchToSpaceNDOptions(OptionsTable, union=24):
    """``table BatchToSpaceNDOptions``, which is empty."""


def prepare(context: Context, node: Node) -> None:
    """The output's shape; the model's, where blocks or margins are fed."""
    batch_space.settle(context, node, batch_space.image_shape)


def invoke(context: Context, node: Node) -> None:
    """Copy every pixel to its place in its block."""
    batch_space.move(context, node, batch_space.image_shape, to_images)


def to_images(blocks: batch_space.Blocks, x: Array) -> Array:
    """``whole[batch, i, row, j, column] = x[row, column, batch, i, j]``, then without margins."""
    rows, columns = blocks.size
    batches, (height, width, depth) = len(x) // blocks.places, x.shape[1:]
    cut = x.reshape(rows, columns, batches, height, width, depth)
    whole: Array = cut.transpose(batch_space.TO_IMAGES).reshape(
        batches, height * rows, width * columns, depth
    )
    top, left = blocks.before
    bottom, right = blocks.behind
    return whole[:, top : height * rows - bottom, left : width * columns - right]


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=BatchToSpaceNDOptions,
    constraints=batch_space.CONSTRAINTS,
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES_INT8
