"""SUB: the elementwise difference of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/sub.cc``, ``sub_common.cc``; the arithmetic is shared with ADD.
"""

from __future__ import annotations

from arenite.model.types import INT32
from arenite.ops import NodeView, Registration, Scheme, Struct, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared.add_sub import TYPES, SubOptions, invoke, prepare_with
from arenite.ops.shared.binary import activation_range_int32, constraints, is_quantized
from arenite.ops.shared.cases import binary_cases
from arenite.ops.shared.overlap import element_by_element

__all__ = ["REGISTRATION", "SubOptions"]


def int32_is_not_quantized(node: NodeView) -> bool:
    """int32 inputs and the int32 output have no quantisation."""
    if node.input(0).type is not INT32:
        return True
    return not any(is_quantized(tensor) for tensor in (*node.inputs, node.output(0)))


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpDataSub", ("bool",) + ("int32",) * 12)),
    prepare=prepare_with(-1, activation_range_int32),
    invoke=invoke,
    overlap=element_by_element(0, 1),
    options=SubOptions,
    builtin_data=Struct("TfLiteSubParams", ("enum", "bool")),
    constraints=(*constraints(*TYPES), int32_is_not_quantized),
)

TRAITS = Traits(
    values="corners",
    channels="broadcast",
    elementwise=True,
    fuses_clamp=True,
    drawn="add",
    compiled="TFLM ignores a fused function of int32, Vela's commands for U85 do not",
)

SCHEME = Scheme(affine="subtracts")

CASES = binary_cases("SUB", SubOptions)
