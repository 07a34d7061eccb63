"""MNN_FLOAT_TO_INT8: ``q = round(clamp(x * factor + zero))``, halves away from zero.

Facts: MNN 3.6.1 ``backend/cpu/CPUFloatToInt8.cpp``, ``x86_x64/avx/GemmInt8.cpp``
(``_AVX_MNNFloat2Int8``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import channel_factors, from_mnn, rounded
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnFloatToInt8Options(OptionsTable):
    """Factors for all elements or one per channel (the last axis); clamping range."""

    factors: tuple[float, ...] = ()
    zero: float = 0.0
    low: int = -128
    high: int = 127


@dataclass(frozen=True)
class MnnFloatToInt8Params:
    """Factors (float32) for ``channels`` elements in a row, which may be one for all."""

    channels: int
    factors: Array
    zero: float
    activation_min: int
    activation_max: int


def prepare(context: Context, node: Node) -> MnnFloatToInt8Params:
    """The output has the input's shape."""
    options: MnnFloatToInt8Options = node.options
    shape = input_tensor(context, node, 0).shape
    factors = channel_factors(context, options.factors, shape)
    context.resize_tensor(output_tensor(context, node).index, shape)
    return MnnFloatToInt8Params(len(factors), factors, options.zero, options.low, options.high)


def invoke(context: Context, node: Node) -> None:
    """Quantise; what is no number becomes the upper bound."""
    params: MnnFloatToInt8Params = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    with np.errstate(all="ignore"):
        scaled = x * params.factors + np.float32(params.zero)
        whole = rounded(scaled, params.activation_min, params.activation_max, whole=True)
    out[...] = whole.reshape(out.shape)


def output_is_int8(node: NodeView) -> bool:
    """The output is int8."""
    return node.output(0).type is TensorType.INT8


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnFloatToInt8Options,
    constraints=(
        c.inputs_between(1, 1),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.FLOAT32),
        output_is_int8,
    ),
)
