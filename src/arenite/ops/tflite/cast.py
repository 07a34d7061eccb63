"""CAST: the same numbers in another type.

Integers wrap as in C, everything but zero is true, floats lose their fraction. Facts:
TFLM ``micro/kernels/cast.cc``. For floats that the integer type cannot hold C defines
nothing; TFLM's package saturates and makes 0 of NaN, and so does this kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, UINT32
from arenite.ops import Array, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, like_input, output_array
from arenite.ops.shared.overlap import element_by_element


class CastOptions(OptionsTable, union=37):
    """``table CastOptions``; TFLM goes by the tensors' types instead."""

    in_data_type: int = slot(0, "int8")
    out_data_type: int = slot(1, "int8")


@dataclass(frozen=True)
class CastParams:
    """The range of the output's type, to which floats saturate; 0 where none has to."""

    output_min: int
    output_max: int


TYPES = (
    FLOAT32,
    INT8,
    INT16,
    INT32,
    UINT32,
    BOOL,
)


def output_type_supported(node: c.NodeView) -> bool:
    """Output 0 is one of: float32, int8, int16, int32, uint32, bool."""
    return node.output(0).type in TYPES


def prepare(context: Context, node: Node) -> CastParams:
    """The output's shape, and its range where floats become integers."""
    inp, output = like_input(context, node)
    if inp.type is not FLOAT32 or output.type.dtype.kind not in "iu":
        return CastParams(0, 0)
    info = np.iinfo(output.type.dtype)
    return CastParams(int(info.min), int(info.max))


def invoke(context: Context, node: Node) -> None:
    """Convert every element."""
    params: CastParams = node.params
    out = output_array(context, node)
    x = input_array(context, node, 0).reshape(out.shape)
    if params.output_max:
        x = saturate(params, x)
    np.copyto(out, x, casting="unsafe")


def saturate(params: CastParams, x: Array) -> Array:
    """Floats as float64 within the output's range; NaN is 0."""
    wide = np.clip(x.astype(np.float64), params.output_min, params.output_max)
    return np.where(np.isnan(wide), 0.0, wide)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    options=CastOptions,
    builtin_data=Struct("TfLiteCastParams", ("enum", "enum")),
    constraints=(
        *c.counts(1, 1),
        c.input_types(0, *TYPES),
        output_type_supported,
    ),
)

TRAITS = Traits(exact_on_floats=True)
