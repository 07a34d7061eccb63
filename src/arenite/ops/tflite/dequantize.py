"""DEQUANTIZE: quantised values to real numbers, ``scale * (q - zero_point)``.

The product is a double, rounded once to float32. Facts: TFLM
``micro/kernels/dequantize_common.cc`` and ``reference/dequantize.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT16, UINT8
from arenite.ops import Array, Context, Node, Registration, Struct, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.overlap import element_by_element


class DequantizeOptions(OptionsTable, union=38):
    """``table DequantizeOptions``, which is empty."""


@dataclass(frozen=True)
class DequantizeParams:
    """The input's quantisation."""

    scale: float
    zero_point: int


DEQUANTIZATION_PARAMS = Struct("DequantizationParams", ("double", "int32"))
OP_DATA = Struct("DequantizeOpData", (DEQUANTIZATION_PARAMS, "int32", "int", "int32"))


def prepare(context: Context, node: Node) -> DequantizeParams:
    """The input's quantisation; a tensor without one has scale 0."""
    inp, _ = util.like_input(context, node)
    return DequantizeParams(scale=inp.scale, zero_point=inp.zero_point)


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the input's width: 8 bits go through a table."""
    params: DequantizeParams = node.params
    out = util.output_array(context, node)
    x = util.input_array(context, node, 0).reshape(out.shape)
    if x.dtype.itemsize > 1:
        out[...] = dequantize(params, x)
        return
    table = node.host.get("table")
    if table is None:
        every_value = np.arange(256, dtype=np.uint8).view(x.dtype)
        table = node.host["table"] = dequantize(params, every_value)
    np.take(table, x.view(np.uint8), out=out, mode="clip")


def dequantize(params: DequantizeParams, x: Array) -> Array:
    """Quantised values to float32."""
    difference = np.subtract(x, params.zero_point, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        return (params.scale * difference).astype(np.float32)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    options=DequantizeOptions,
    constraints=(
        *c.counts(1, 1),
        c.input_types(0, INT8, INT16, UINT8),
        c.output_type(FLOAT32),
    ),
)

TRAITS = Traits(elementwise=True, converts=True)
