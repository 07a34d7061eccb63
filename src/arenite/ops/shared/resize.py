"""Common parts of RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR.

Facts: TFLM ``micro/kernels/resize_nearest_neighbor.cc`` and ``resize_bilinear.cc``.
"""

from __future__ import annotations

from arenite.model import TensorType
from arenite.model.types import INT32
from arenite.ops import constraints as c
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_tensor, output_tensor

#: How a resizing maps sizes along height and along width: ``(input, output)`` each.
Sizes = tuple[tuple[int, int], tuple[int, int]]


def input_is_image(node: c.NodeView) -> bool:
    """Input 0 has 4 dimensions, [batches, height, width, channels], and no dimension of 0."""
    return len(node.input(0).shape) == 4 and node.input(0).size > 0


def size_is_output_size(node: c.NodeView) -> bool:
    """Input 1 is [height, width] of output 0, at least 1 each, and output 0 has 4 dimensions."""
    size, output = node.input(1).data, node.output(0).shape
    if size is None or size.shape != (2,) or len(output) != 4:
        return False
    return bool(size.min() >= 1) and tuple(size.tolist()) == output[1:3]


def prepare_sizes(context: Context, node: Node) -> Sizes:
    """Ask for the tensors, tell the output's shape."""
    inp = input_tensor(context, node, 0)
    size = input_tensor(context, node, 1).data
    output = output_tensor(context, node)
    assert size is not None
    height, width = size.tolist()
    batches, input_height, input_width, channels = inp.shape
    context.resize_tensor(output.index, (batches, height, width, channels), "refused")
    return (input_height, height), (input_width, width)


def resize_constraints(*types: TensorType) -> tuple[c.Constraint, ...]:
    """Demands of both; ``types`` are the elements' types."""
    return (
        *c.counts(2, 1),
        c.input_types(0, *types),
        c.input_types(1, INT32),
        c.same_type(),
        c.constant(1),
        input_is_image,
        size_is_output_size,
    )
