"""MIRROR_PAD: a tensor in a border that mirrors it.

On the right the first element is repeated where there is no more to mirror, and a negative padding
cuts off, as in TFLM.

Undefined in TFLM: on the left nobody looks whether there is as much to mirror, so that elements
are read that lie elsewhere, or beside the tensor; this is refused.

Facts: TFLM ``micro/kernels/mirror_pad.cc``. The paddings may be fed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT32, INT64
from arenite.ops import MOVES_INT8, Array, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util


class MirrorPadOptions(OptionsTable, union=77):
    """``table MirrorPadOptions``: mode 0 (REFLECT) leaves the edge out."""

    mode: int = slot(0, "int8")


@dataclass(frozen=True)
class MirrorPadParams:
    """``edge`` is how many elements of the edge the mirror leaves out: 1 or 0."""

    edge: int


def two_paddings_per_dimension(node: c.NodeView) -> bool:
    """The paddings (input 1) are a row of two numbers for each dimension of input 0."""
    return node.input(1).shape == (len(node.input(0).shape), 2)


def prepare(context: Context, node: Node) -> MirrorPadParams:
    """The output's shape; the model's, where paddings are fed."""
    inp, paddings = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
    output = util.output_tensor(context, node)
    params = MirrorPadParams(edge=int(node.options.mode == 0))
    if paddings.data is not None:
        shape = padded_shape(context, inp.shape, paddings.data, params.edge)
        context.resize_tensor(output.index, shape, "refused")
    for purpose in ("output strides", "input strides"):
        context.request_scratch_buffer_in_arena(4 * len(inp.shape), purpose)
    return params


def padded_shape(
    context: Context, shape: tuple[int, ...], paddings: Array, edge: int
) -> tuple[int, ...]:
    """The output's shape, if there is as much to mirror as the left of each axis asks for."""
    padded = []
    for axis, (n, (left, right)) in enumerate(zip(shape, paddings.tolist(), strict=True)):
        whole = left + n + right
        if whole < 0 or (whole and (n < 1 or left > max(n - edge, 0))):
            context.report_error(
                f"axis {axis} has {n} elements, {n - edge} to be mirrored, got paddings of "
                f"{left} and {right}"
            )
        padded.append(whole)
    return tuple(padded)


def invoke(context: Context, node: Node) -> None:
    """Copy every element to all its places."""
    params: MirrorPadParams = node.params
    edge = params.edge
    x, paddings = util.input_array(context, node, 0), util.input_array(context, node, 1)
    out = util.output_array(context, node)
    if padded_shape(context, x.shape, paddings, edge) != out.shape:
        context.report_error(f"paddings {paddings.tolist()} do not make {list(out.shape)}")
    if out.size == 0:
        return
    lefts = paddings[:, 0].tolist()
    picks = [
        mirrored(whole, left, n, edge)
        for whole, left, n in zip(out.shape, lefts, x.shape, strict=True)
    ]
    out[...] = x[np.ix_(*picks)]


def mirrored(whole: int, left: int, n: int, edge: int) -> Array:
    """The elements, of an axis's ``n``, at its ``whole`` places."""
    place = np.arange(whole) - left
    before = edge - 1 - place
    behind = n - 1 - edge - (place - n)
    return np.where(place < 0, before, np.where(place < n, place, np.maximum(behind, 0)))


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpDataMirrorPad", ("int",) * 5)),
    prepare=prepare,
    invoke=invoke,
    options=MirrorPadOptions,
    builtin_data=Struct("TfLiteMirrorPaddingParams", ("enum",)),
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8),
        c.same_type(),
        c.input_types(1, INT32, INT64),
        two_paddings_per_dimension,
    ),
)

TRAITS = Traits(
    values="rising",
    channels="padded",
    exact_on_floats=True,
    compiled="of other than 4 dimensions Vela's commands write a part of the output only",
)

SCHEME = MOVES_INT8
