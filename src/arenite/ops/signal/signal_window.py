"""SignalWindow: ``(input * weights) >> shift``, saturated.

Options: `shift`. The weights are applied again and again along the input.

Facts: TFLM ``signal/micro/kernels/window.cc`` and ``signal/src/window.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import INT16
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import read_options, require_range

PARAMS = Struct("TFLMSignalWindowParams", ("int32", "int32"))


@dataclass(frozen=True)
class SignalWindowParams:
    """The shift of products."""

    shift: int


def init(context: Context, options: bytes) -> SignalWindowParams:
    """The option."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    (shift,) = read_options(context, options, "shift")
    require_range(context, "shift", shift, 0, 31)
    return SignalWindowParams(shift)


def has_dimensions(node: c.NodeView) -> bool:
    """Input 0 and output 0 have the same number of dimensions, at least 1."""
    return len(node.input(0).shape) == len(node.output(0).shape) >= 1


def prepare(context: Context, node: Node) -> SignalWindowParams:
    """The weights fit into the input a whole number of times."""
    inp, weights = input_tensor(context, node, 0), input_tensor(context, node, 1)
    output = output_tensor(context, node)
    if not weights.size or inp.size % weights.size:
        context.report_error(f"expected a multiple of {weights.size} samples, got {inp.size}")
    context.resize_tensor(output.index, inp.shape)
    params: SignalWindowParams = node.user_data
    return params


def invoke(context: Context, node: Node) -> None:
    """Products, rounded down."""
    params: SignalWindowParams = node.params
    weights = input_array(context, node, 1).astype(np.int32)
    x = input_array(context, node, 0).reshape(-1, weights.size)
    out = output_array(context, node)
    out[...] = np.clip((x * weights) >> params.shift, -32768, 32767).reshape(out.shape)


REGISTRATION = Registration(
    name="SignalWindow",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        has_dimensions,
        c.rank(1, 1),
        c.input_types(0, INT16),
        c.input_types(1, INT16),
        c.output_type(INT16),
    ),
)
