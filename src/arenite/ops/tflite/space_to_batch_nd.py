"""SPACE_TO_BATCH_ND: an image's parts as batches, for convolutions with gaps.

Undefined in TFLM: the padding gets a byte of the arena that nothing has set. Here it is 0 for all
types, which an arena of zeros gives (for int8 whatever the zero point is), with a warning.

Facts: TFLM ``micro/kernels/space_to_batch_nd.cc`` and ``reference/space_to_batch_nd.h``. Block
sizes and paddings may be fed.
"""

from __future__ import annotations

import numpy as np

from arenite.model import OptionsTable
from arenite.ops import MOVES_INT8, Array, Context, Node, Registration, Struct, Traits
from arenite.ops import kernel_util as util
from arenite.ops.shared import batch_space


class SpaceToBatchNDOptions(OptionsTable, union=25):
    """``table SpaceToBatchNDOptions``, which is empty."""


def prepare(context: Context, node: Node) -> None:
    """The output's shape; the model's, where blocks or paddings are fed."""
    blocks = batch_space.settle(context, node, batch_space.batched_shape)
    if blocks is None or any(blocks.before) or any(blocks.behind):
        context.warn_undefined(
            "TFLM fills the padding with a byte of the arena that nothing has set; Arenite with 0"
        )


def invoke(context: Context, node: Node) -> None:
    """Copy every pixel into the batch of its place in a block."""
    batch_space.move(context, node, batch_space.batched_shape, to_batches)


def to_batches(blocks: batch_space.Blocks, x: Array) -> Array:
    """``out[row, column, batch, i, j] = padded[batch, i, row, j, column]``."""
    (rows, columns), margins = blocks.size, list(zip(*blocks[1:], strict=True))
    padded = np.pad(x, [(0, 0), *margins, (0, 0)])
    batches, height, width, depth = padded.shape
    cut = padded.reshape(batches, height // rows, rows, width // columns, columns, depth)
    parts: Array = cut.transpose(batch_space.TO_BATCHES)
    return parts


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("SpaceToBatchParams", ("int32",))),
    prepare=prepare,
    invoke=invoke,
    options=SpaceToBatchNDOptions,
    constraints=batch_space.CONSTRAINTS,
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES_INT8
