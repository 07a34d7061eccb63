"""ADD: the elementwise sum of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/add.cc``, ``add_common.cc``; the arithmetic is shared with SUB.
"""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops._add_sub import (
    TYPES,
    AddOptions,
    AddSubParams,
    invoke,
    quantized_params,
)
from arenite.ops._binary import constraints, int32_is_not_quantized, resize_output
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import (
    QUANTIZED_RANGE,
    activation_range,
    allocate_struct,
    input_tensor,
    output_tensor,
)
from arenite.ops.registry import Registration

__all__ = ["REGISTRATION", "AddOptions"]

OP_DATA = Struct("OpDataAdd", ("bool",) + ("int32",) * 12 + ("float", "float"))
BUILTIN_DATA = Struct("TfLiteAddParams", ("enum", "bool"))


def prepare(context: Context, node: Node) -> AddSubParams:
    """Requantisation and activation range."""
    activation = node.options.fused_activation_function
    inputs = input_tensor(context, node, 0), input_tensor(context, node, 1)
    output = output_tensor(context, node)
    resize_output(context, node)
    if output.type is TensorType.FLOAT32:
        return AddSubParams(1, *activation_range(activation))
    if output.type is TensorType.INT32:
        # TFLM does not apply the fused activation here.
        return AddSubParams(1, *QUANTIZED_RANGE[TensorType.INT32])
    return quantized_params(context, 1, activation, (*inputs, output))


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=AddOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(*constraints(*TYPES), int32_is_not_quantized),
)
