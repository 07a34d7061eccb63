"""SUB: the elementwise difference of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/sub.cc``, ``sub_common.cc``; the arithmetic is shared with ADD.
"""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops._add_sub import (
    TYPES,
    AddSubParams,
    SubOptions,
    invoke,
    quantized_params,
)
from arenite.ops._binary import activation_range_int32, constraints, is_quantized, resize_output
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import (
    activation_range,
    allocate_struct,
    input_tensor,
    output_tensor,
)
from arenite.ops.registry import Registration

__all__ = ["REGISTRATION", "SubOptions"]

OP_DATA = Struct("OpDataSub", ("bool",) + ("int32",) * 12)
BUILTIN_DATA = Struct("TfLiteSubParams", ("enum", "bool"))


def int32_is_not_quantized(node: NodeView) -> bool:
    """int32 inputs and the int32 output have no quantisation."""
    if node.input(0).type is not TensorType.INT32:
        return True
    return not any(is_quantized(tensor) for tensor in (*node.inputs, node.output(0)))


def prepare(context: Context, node: Node) -> AddSubParams:
    """Requantisation and activation range."""
    activation = node.options.fused_activation_function
    inputs = input_tensor(context, node, 0), input_tensor(context, node, 1)
    output = output_tensor(context, node)
    resize_output(context, node)
    if output.type is TensorType.FLOAT32:
        return AddSubParams(-1, *activation_range(activation))
    if output.type is TensorType.INT32:
        return AddSubParams(-1, *activation_range_int32(activation))
    return quantized_params(context, -1, activation, (*inputs, output))


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=SubOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(*constraints(*TYPES), int32_is_not_quantized),
)
