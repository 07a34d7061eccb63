"""MNN_INT8_TO_FLOAT: ``x = (q - zero) * factor``.

Facts: MNN 3.6.1 ``backend/cpu/CPUInt8ToFloat.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import channel_factors, from_mnn
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnInt8ToFloatOptions(OptionsTable):
    """Factors for all elements or one per channel (the last axis)."""

    factors: tuple[float, ...] = ()
    zero: float = 0.0


@dataclass(frozen=True)
class MnnInt8ToFloatParams:
    """Factors (float32) for ``channels`` elements in a row, which may be one for all."""

    channels: int
    factors: Array
    zero: float


def prepare(context: Context, node: Node) -> MnnInt8ToFloatParams:
    """The output has the input's shape."""
    options: MnnInt8ToFloatOptions = node.options
    shape = input_tensor(context, node, 0).shape
    factors = channel_factors(context, options.factors, shape)
    context.resize_tensor(output_tensor(context, node).index, shape)
    return MnnInt8ToFloatParams(len(factors), factors, options.zero)


def invoke(context: Context, node: Node) -> None:
    """Make the numbers real."""
    params: MnnInt8ToFloatParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    with np.errstate(all="ignore"):
        out[...] = ((x.astype(np.float32) - np.float32(params.zero)) * params.factors).reshape(
            out.shape
        )


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnInt8ToFloatOptions,
    constraints=(
        c.inputs_between(1, 1),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.INT8),
        c.output_type(TensorType.FLOAT32),
    ),
)
