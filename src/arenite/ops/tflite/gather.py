"""GATHER: slices along an axis, picked by indices.

Facts: TFLM ``micro/kernels/gather.cc``. An index outside of the axis, with which TFLM reads
other memory, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT32
from arenite.ops import MOVES_INT8, Array, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


class GatherOptions(OptionsTable, union=23):
    """``table GatherOptions``."""

    axis: int = slot(0, "int32")
    batch_dims: int = slot(1, "int32")


@dataclass(frozen=True)
class GatherParams:
    """The axis, and how many leading dimensions input and indices have in common."""

    axis: int
    batch_dims: int


def prepare(context: Context, node: Node) -> GatherParams:
    """Axis, common dimensions, the output's shape."""
    options: GatherOptions = node.options
    inp = input_tensor(context, node, 0)
    indices = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    rank, count = len(inp.shape), len(indices.shape)
    axis = options.axis + rank if options.axis < 0 else options.axis
    batch = options.batch_dims + count if options.batch_dims < 0 else options.batch_dims
    if not 0 <= axis < rank or not 0 <= batch <= min(axis, count):
        context.report_error(
            f"expected an axis of {list(inp.shape)} and batch dimensions before it, got axis "
            f"{options.axis} and {options.batch_dims}"
        )
    if inp.shape[:batch] != indices.shape[:batch]:
        context.report_error(
            f"the first {batch} dimensions of {list(inp.shape)} and {list(indices.shape)} differ"
        )
    # TFLM moves the output's dimensions to the arena to write them.
    context.reserve_persistent_buffer(4 * (1 + len(output.shape)), "output dimensions")
    context.resize_tensor(
        output.index,
        (*inp.shape[:axis], *indices.shape[batch:], *inp.shape[axis + 1 :]),
        "replaced",
    )
    return GatherParams(axis, batch)


def invoke(context: Context, node: Node) -> None:
    """Pick, after a look at the indices."""
    params: GatherParams = node.params
    x, indices = input_array(context, node, 0), input_array(context, node, 1)
    n = x.shape[params.axis]
    if indices.size and not 0 <= int(indices.min()) <= int(indices.max()) < n:
        context.report_error(
            f"expected indices from 0 to {n - 1}, got {indices.min()} to {indices.max()}"
        )
    out = output_array(context, node)
    out[...] = gather(params, x, indices).reshape(out.shape)


def gather(params: GatherParams, x: Array, indices: Array) -> Array:
    """``out[batch, outer, index, inner] = x[batch, outer, indices[batch, index], inner]``."""
    axis, batch = params.axis, params.batch_dims
    if batch == 0:
        return x.take(indices, axis)
    batches = prod(x.shape[:batch])
    outer, inner = prod(x.shape[batch:axis]), prod(x.shape[axis + 1 :])
    folded = x.reshape(batches, outer, x.shape[axis], inner)
    picks = indices.reshape(batches, 1, -1, 1)
    return np.take_along_axis(folded, picks, 2)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=GatherOptions,
    builtin_data=Struct("TfLiteGatherParams", ("int", "int")),
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8),
        c.input_types(1, INT32),
        c.same_type(),
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True, takes_decoded=True)

SCHEME = MOVES_INT8
