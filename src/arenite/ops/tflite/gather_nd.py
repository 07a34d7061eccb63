"""GATHER_ND: slices or elements, each picked by a vector of indices.

Facts: TFLM ``micro/kernels/gather_nd.cc``. TFLM adds up the offsets of an index and looks
whether the sum lies inside the input; so here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT32
from arenite.ops import MOVES_INT8, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor

MAX_DEPTH = 5


class GatherNdOptions(OptionsTable, union=83):
    """``table GatherNdOptions``, which is empty."""


@dataclass(frozen=True)
class GatherNdParams:
    """Elements to the next slice along each indexed dimension, and elements of a slice."""

    strides: tuple[int, ...]
    slice_size: int


def indices_fit(node: c.NodeView) -> bool:
    """Index vectors (input 1) have at most 5 numbers, one per dimension of input 0 or fewer."""
    shape, indices = node.input(0).shape, node.input(1).shape
    return bool(indices) and len(shape) > 0 and indices[-1] <= min(MAX_DEPTH, len(shape))


def input_has_elements(node: c.NodeView) -> bool:
    """Input 0 has elements: TFLM divides by its dimensions."""
    return node.input(0).size > 0


def prepare(context: Context, node: Node) -> GatherNdParams:
    """Strides and the output's shape."""
    inp = input_tensor(context, node, 0)
    indices = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    depth = indices.shape[-1]
    # TFLM moves the output's dimensions to the arena to write them.
    context.reserve_persistent_buffer(4 * (1 + len(output.shape)), "output dimensions")
    context.resize_tensor(output.index, (*indices.shape[:-1], *inp.shape[depth:]), "replaced")
    return GatherNdParams(
        strides=tuple(prod(inp.shape[axis + 1 :]) for axis in range(depth)),
        slice_size=prod(inp.shape[depth:]),
    )


def invoke(context: Context, node: Node) -> None:
    """Copy the slice of every index vector."""
    params: GatherNdParams = node.params
    x, indices = input_array(context, node, 0), input_array(context, node, 1)
    strides = np.array(params.strides, np.int64)
    # Without numbers in its index vectors, one of them is still one slice: the whole input.
    vectors = indices.reshape(prod(indices.shape[:-1]), len(strides))
    starts = (vectors * strides).sum(1)
    if (
        starts.size
        and not 0 <= int(starts.min()) <= int(starts.max()) <= x.size - params.slice_size
    ):
        context.report_error(f"expected indices into {list(x.shape)}, got {indices.tolist()}")
    out = output_array(context, node)
    places = starts[:, None] + np.arange(params.slice_size)
    out[...] = x.reshape(-1)[places].reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=GatherNdOptions,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8),
        c.input_types(1, INT32),
        c.same_type(),
        indices_fit,
        input_has_elements,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES_INT8
