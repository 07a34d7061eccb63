"""ADD: the elementwise sum of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/add.cc``, ``add_common.cc``; the arithmetic is shared with SUB.
"""

from __future__ import annotations

from arenite.model.types import INT32
from arenite.ops import Registration, Scheme, Struct, Traits
from arenite.ops.kernel_util import QUANTIZED_RANGE, allocate_struct
from arenite.ops.shared.add_sub import TYPES, AddOptions, invoke, prepare_with
from arenite.ops.shared.binary import constraints, int32_is_not_quantized
from arenite.ops.shared.cases import binary_cases
from arenite.ops.shared.overlap import element_by_element

__all__ = ["REGISTRATION", "AddOptions"]

OP_DATA = Struct("OpDataAdd", ("bool",) + ("int32",) * 12 + ("float", "float"))


def int32_range(activation: int) -> tuple[int, int]:
    """All of int32: TFLM does not apply the fused activation here."""
    return QUANTIZED_RANGE[INT32]


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare_with(1, int32_range),
    invoke=invoke,
    overlap=element_by_element(0, 1),
    options=AddOptions,
    builtin_data=Struct("TfLiteAddParams", ("enum", "bool")),
    constraints=(*constraints(*TYPES), int32_is_not_quantized),
)

TRAITS = Traits(
    values="rising",
    channels="broadcast",
    elementwise=True,
    fuses_clamp=True,
    drawn="add",
    compiled="TFLM ignores a fused function of int32, Vela's commands for U85 do not",
)

SCHEME = Scheme(affine="adds")

CASES = binary_cases("ADD", AddOptions)
