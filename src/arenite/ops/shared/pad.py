"""Common parts of PAD and PADV2: in TFLM they are the same operator.

Facts: TFLM ``micro/kernels/pad_common.cc``, ``pad.cc`` and ``reference/pad.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.context import Array, Context, Node
from arenite.ops.overlap import Clearance, element_bytes


@dataclass(frozen=True)
class PadParams:
    """Where the input lies in the output: from ``start`` to before ``stop`` on each axis.

    ``pad_value`` is what surrounds it, unless the node has an input for that.
    """

    output_shape: tuple[int, ...]
    start: tuple[int, ...]
    stop: tuple[int, ...]
    pad_value: int


PAD_PARAMS = Struct("PadParams", ("int8", ("int32", 5), "int8", ("int32", 5), "uint8"))
OP_DATA = Struct("OpData", (PAD_PARAMS, "int32"))


def paddings_are_int32(node: c.NodeView) -> bool:
    """The paddings (input 1) are int32: TFLM reads other types as if they were int32."""
    return node.input(1).type is INT32


def paddings_in_pairs(node: c.NodeView) -> bool:
    """The paddings (input 1) are two numbers for each dimension of input 0."""
    return node.input(1).size == 2 * len(node.input(0).shape)


def one_pad_value(node: c.NodeView) -> bool:
    """The value to pad with (input 2) is one number of the type of input 0."""
    if len(node.inputs) < 3:
        return True
    return node.input(2).size == 1 and node.input(2).type is node.input(0).type


def pad_value_is_exact(node: c.NodeView) -> bool:
    """For int8 the value to pad with (input 2) has the output's scale and zero point.

    Without such an input the output's zero point lies in the range of int8.
    """
    output = node.output(0)
    if output.type is not INT8:
        return True
    if len(node.inputs) < 3:
        return -128 <= output.zero_point <= 127
    value = node.input(2)
    return (value.scale, value.zero_point) == (output.scale, output.zero_point)


CONSTRAINTS = (
    c.inputs_between(2, 3),
    c.outputs_exactly(1),
    c.input_types(0, FLOAT32, INT8, INT16, INT32),
    c.same_type(),
    c.rank_at_most(0, 5),
    c.constant(1),
    paddings_are_int32,
    paddings_in_pairs,
    one_pad_value,
    pad_value_is_exact,
)


def prepare(context: Context, node: Node) -> PadParams:
    """The output's shape and the place of the input in it."""
    inp = util.input_tensor(context, node, 0)
    paddings = util.input_tensor(context, node, 1)
    util.optional_input_tensor(context, node, 2)
    output = util.output_tensor(context, node)
    assert paddings.data is not None
    pairs = [(int(left), int(right)) for left, right in paddings.data.reshape(-1, 2)]
    shape = tuple(left + n + right for n, (left, right) in zip(inp.shape, pairs, strict=True))
    if min(shape, default=1) < 0:
        context.report_error(f"paddings {pairs} leave nothing of the shape {list(inp.shape)}")
    context.resize_tensor(output.index, shape, "refused")
    start = tuple(max(left, 0) for left, _ in pairs)
    return PadParams(
        output_shape=shape,
        start=start,
        stop=tuple(
            max(n - max(right, 0), first)
            for n, first, (_, right) in zip(shape, start, pairs, strict=True)
        ),
        pad_value=output.zero_point if output.type is INT8 else 0,
    )


def overlap(view: c.NodeView, position: int) -> Clearance | None:
    """The output is written from its begin to its end, the input read on the way.

    So writing is ahead by all the padding before the last element.
    """
    paddings, x = view.input(1).data, view.input(0)
    if position != 0 or paddings is None or paddings.min(initial=0) < 0 or not x.size:
        return None
    last, stride = 0, 1
    for n, (left, right) in reversed(list(zip(x.shape, paddings.reshape(-1, 2), strict=True))):
        last += (int(left) + n - 1) * stride
        stride *= int(left) + n + int(right)
    return Clearance((last - (x.size - 1)) * element_bytes(x))


def invoke(context: Context, node: Node) -> None:
    """Fill the output, then copy the input to its place."""
    params: PadParams = node.params
    value = (
        util.input_array(context, node, 2).reshape(())
        if len(node.inputs) == 3
        else params.pad_value
    )
    pad(params, util.input_array(context, node, 0), value, util.output_array(context, node))


def pad(params: PadParams, x: Array, value: Array | int, out: Array) -> None:
    """``x`` surrounded by ``value``.

    A negative padding cuts off nothing: as TFLM does, the elements of ``x`` fill what
    room there is in their order.
    """
    out = out.reshape(params.output_shape)
    out[...] = value
    inside = [slice(*ends) for ends in zip(params.start, params.stop, strict=True)]
    index: tuple[Any, ...] = (*inside, ...)  # with the dots, an array even of no dimensions
    place = out[index]
    place[...] = x.reshape(-1)[: prod(place.shape)].reshape(place.shape)
