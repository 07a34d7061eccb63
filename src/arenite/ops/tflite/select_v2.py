"""SELECT_V2: elements of input 1 where input 0 is true, else of input 2; all three broadcast.

Facts: TFLM ``micro/kernels/select.cc`` and ``reference/select.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import BOOL, FLOAT32, INT8, INT16
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.binary import MAX_RANK, truth
from arenite.ops.shared.overlap import element_by_element


def three_broadcast(node: c.NodeView) -> bool:
    """The inputs have at most 6 dimensions, and each is equal or 1 in all of them."""
    shapes = [node.input(number).shape for number in range(3)]
    if max(map(len, shapes)) > MAX_RANK:
        return False
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def prepare(context: Context, node: Node) -> None:
    """The output's shape: where the inputs' differ, TFLM counts along its dimensions."""
    shapes = [util.input_tensor(context, node, number).shape for number in range(3)]
    output = util.output_tensor(context, node)
    shape = np.broadcast_shapes(*shapes)
    is_flat = len(set(shapes)) == 1 or set().union(*shapes) <= {1}
    context.resize_tensor(output.index, shape, "kept" if is_flat else "refused")


def invoke(context: Context, node: Node) -> None:
    """One or the other."""
    condition, x, y = (util.input_array(context, node, number) for number in range(3))
    util.output_array(context, node)[...] = np.where(truth(condition), x, y)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpData", ("bool",))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0, 1, 2),
    constraints=(
        *c.counts(3, 1),
        c.input_types(0, BOOL),
        c.input_types(1, FLOAT32, INT8, INT16),
        c.same_type(1),
        c.same_type(2),
        three_broadcast,
    ),
)

TRAITS = Traits(exact_on_floats=True)

SCHEME = MOVES
