"""ADD_N: the elementwise sum of two or more inputs of one shape.

Undefined in TFLM: sums of int8 inputs that leave int32, which takes 16 inputs at least. Here they
wrap, and a warning says so.

Facts: TFLM ``micro/kernels/add_n.cc`` and ``reference/add_n.h``. Quantised sums begin with what
stands for a value of 0 before its zero point is taken away, not with 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import FLOAT32, INT8
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import Array, Context, Node, Registration, Scheme, Struct, TfLiteTensor
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util

_LEFT_SHIFT = 20


@dataclass(frozen=True)
class AddNParams:
    """The number of ``inputs``; all else is 0 for float32.

    A value is shifted to the left, and is half of that on the scale of the sum.
    """

    inputs: int
    input_offset: int = 0
    left_shift: int = 0
    output_multiplier: int = 0
    output_shift: int = 0
    output_offset: int = 0
    output_min: int = 0
    output_max: int = 0


OP_DATA = Struct("OpData", ("int32",) * 6 + ("int",) * 4)


def inputs_are_alike(node: c.NodeView) -> bool:
    """There are at least 2 inputs, all of one type and shape; int8 ones of one quantisation."""
    if len(node.inputs) < 2 or None in node.inputs:
        return False
    first, *others = map(node.input, range(len(node.inputs)))
    return all(
        tensor.type is first.type
        and tensor.shape == first.shape
        and (first.type is not INT8 or _quantization(tensor) == _quantization(first))
        for tensor in others
    )


def _quantization(tensor: TfLiteTensor) -> tuple[float, int]:
    return tensor.scale, tensor.zero_point


def prepare(context: Context, node: Node) -> AddNParams:
    """Requantisation, and room for a pointer to every input."""
    first, output = util.input_tensor(context, node, 0), util.output_tensor(context, node)
    count = len(node.inputs)
    for number in range(1, count):
        util.input_tensor(context, node, number)
    context.resize_tensor(output.index, first.shape)
    if first.type is INT8:
        context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)
    context.request_scratch_buffer_in_arena(count * context.abi.pointer, "pointers to inputs")
    if first.type is FLOAT32:
        return AddNParams(count)
    low, high = util.QUANTIZED_RANGE[first.type]
    largest = max(high - first.zero_point, first.zero_point - low)
    if (count * largest + abs(first.zero_point)) << (_LEFT_SHIFT - 1) >= 2**31:
        context.warn_undefined(f"sums of {count} inputs may leave int32, and wrap then")
    with np.errstate(all="ignore"):
        ratio = 2 * np.float64(first.scale) / ((1 << _LEFT_SHIFT) * np.float64(output.scale))
    formula = f"2 * input / (2**{_LEFT_SHIFT} * output)"
    multiplier, shift = util.requantization_below_one(context, float(ratio), formula)
    return AddNParams(
        inputs=count,
        input_offset=-first.zero_point,
        left_shift=_LEFT_SHIFT,
        output_multiplier=multiplier,
        output_shift=shift,
        output_offset=output.zero_point,
        output_min=low,
        output_max=high,
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: AddNParams = node.params
    arrays = [util.input_array(context, node, number) for number in range(params.inputs)]
    out = util.output_array(context, node)
    if out.dtype == np.float32:
        with np.errstate(all="ignore"):
            out[...] = sum(arrays, start=np.zeros_like(out))
    else:
        add_quantized(params, arrays, out)


def add_quantized(params: AddNParams, arrays: list[Array], out: Array) -> None:
    """Every value on the scale of twice the input's, their sum on the output's."""

    def halved(x: Array) -> Array:
        shifted: Array = wrap_int32((x + params.input_offset) << params.left_shift) >> 1
        return shifted

    nothing = halved(np.zeros(out.shape, np.int64))
    total = sum((halved(x.astype(np.int64)) for x in arrays), start=nothing)
    scaled = multiply_by_quantized_multiplier(
        wrap_int32(total), params.output_multiplier, params.output_shift
    )
    np.clip(
        scaled + params.output_offset,
        params.output_min,
        params.output_max,
        out=out,
        casting="unsafe",
    )


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        c.outputs_exactly(1),
        inputs_are_alike,
        c.input_types(0, FLOAT32, INT8),
        c.same_type(),
    ),
)

SCHEME = Scheme(types=(INT8,), scales="inputs")
