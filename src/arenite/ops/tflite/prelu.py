"""PRELU: negative values times a factor that is broadcast, a channel's own for example.

Facts: TFLM ``micro/kernels/prelu.cc``, ``prelu_common.cc`` and ``reference/prelu.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import Array, Context, Node, Registration, Scheme, Struct, Traits, Weights
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.binary import shapes_broadcast
from arenite.ops.shared.overlap import element_by_element


@dataclass(frozen=True)
class PreluParams:
    """Offsets, and requantisation on both sides of zero; float32 needs none."""

    input_offset: int = 0
    alpha_offset: int = 0
    output_offset: int = 0
    multiplier_identity: int = 0
    shift_identity: int = 0
    multiplier_alpha: int = 0
    shift_alpha: int = 0
    low: int = 0
    high: int = 0


def alpha_type(node: c.NodeView) -> bool:
    """The factors (input 1) are float32 with float32 values, int8 with int8 and int16 ones."""
    is_float = node.input(0).type is FLOAT32
    return node.input(1).type is (FLOAT32 if is_float else INT8)


def output_is_broadcast(node: c.NodeView) -> bool:
    """Inputs and output have at most 4 dimensions."""
    tensors = (node.input(0), node.input(1), node.output(0))
    return all(len(tensor.shape) <= 4 for tensor in tensors)


def prepare(context: Context, node: Node) -> PreluParams:
    """The output's shape; requantisation."""
    inp = util.input_tensor(context, node, 0)
    alpha = util.input_tensor(context, node, 1)
    output = util.output_tensor(context, node)
    shape = np.broadcast_shapes(inp.shape, alpha.shape)
    if inp.shape != shape and context.graph.resized():  # LiteRT ``kernels/activations.cc``
        context.report_error(
            f"the input was resized to {list(inp.shape)}, and the factors of shape "
            f"{list(alpha.shape)} make the output {list(shape)}: expected equal shapes"
        )
    context.resize_tensor(output.index, shape, "refused")
    if inp.type is FLOAT32:
        return PreluParams()
    identity = util.scale_ratio(inp.scale, output.scale)
    leak = util.scale_ratio(inp.scale * alpha.scale, output.scale)
    return PreluParams(
        -inp.zero_point,
        -alpha.zero_point,
        output.zero_point,
        *util.requantization(context, identity, "input / output"),
        *util.requantization(context, leak, "input * alpha / output"),
        *util.QUANTIZED_RANGE[inp.type],
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    x, alpha = util.input_array(context, node, 0), util.input_array(context, node, 1)
    out = util.output_array(context, node)
    if x.dtype == np.float32:
        with np.errstate(all="ignore"):
            out[...] = np.where(x >= 0, x, x * alpha)
        return
    out[...] = prelu_quantized(node.params, x, alpha)


def prelu_quantized(params: PreluParams, x: Array, alpha: Array) -> Int64Array:
    """Each side of zero has its own multiplier."""
    value = x.astype(np.int64) + params.input_offset
    factor = alpha.astype(np.int64) + params.alpha_offset
    identity = multiply_by_quantized_multiplier(
        value, params.multiplier_identity, params.shift_identity
    )
    leak = multiply_by_quantized_multiplier(
        wrap_int32(value * factor), params.multiplier_alpha, params.shift_alpha
    )
    result = wrap_int32(np.where(value >= 0, identity, leak) + params.output_offset)
    return np.clip(result, params.low, params.high)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("PreluParams", ("int32",) * 7)),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8, INT16),
        c.same_type(),
        alpha_type,
        output_is_broadcast,
        shapes_broadcast,
    ),
)

TRAITS = Traits(channels="broadcast")

SCHEME = Scheme(weights={1: Weights()})
