"""MEAN: the arithmetic mean over some axes.

Facts: TFLM ``micro/kernels/reduce_common.cc``, ``reduce.h`` and ``reference/reduce.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from arenite.memory.abi import Struct
from arenite.model import OptionsTable, TensorType, slot
from arenite.numeric.fixedpoint import bare_shift, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import (
    QUANTIZED_RANGE,
    allocate_struct,
    input_array,
    input_tensor,
    output_array,
    output_tensor,
    requantization,
)
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class ReducerOptions(OptionsTable):
    """``table ReducerOptions``."""

    UNION_TYPE: ClassVar[int] = 27

    keep_dims: bool = slot(0, "bool", False)


@dataclass(frozen=True)
class MeanParams:
    """Which axes go, and the requantisation of a sum.

    Bit i of ``axis_mask`` is about axis i; the mask is -1 where input 1 is no constant.
    ``multiplier`` and ``shift`` stand for the scales' ratio; the kernel divides it by the
    number of elements that a mean is taken of.
    """

    axis_mask: int
    input_zero_point: int
    output_zero_point: int
    multiplier: int
    shift: int
    output_min: int
    output_max: int
    accumulator_scratch: int
    input_index_scratch: int
    axes_scratch: int


OP_DATA = Struct(
    "OpDataReduce",
    (*("int32", "int", "int", "int", "int", "int"), *("float", "int", "float", "int", "int")),
)
BUILTIN_DATA = Struct("TfLiteReducerParams", ("bool",))


def has_elements(node: NodeView) -> bool:
    """Input 0 has at least one element."""
    return node.input(0).size > 0


def at_most_four_float_axes(node: NodeView) -> bool:
    """Input 1 lists at most 4 axes if the input is float32."""
    return node.input(0).type is not TensorType.FLOAT32 or node.input(1).size <= 4


def prepare(context: Context, node: Node) -> MeanParams:
    """Axes, output shape, requantisation, and the three scratch buffers of TFLM's loops."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    axis = input_tensor(context, node, 1)
    quantised = inp.type is not TensorType.FLOAT32
    multiplier, shift, accumulator_scratch = 0, 0, -1
    if quantised:
        ratio = inp.scale / output.scale if output.scale else float("nan")
        multiplier, shift = requantization(context, ratio, "input / output")
        accumulator_scratch = context.request_scratch_buffer_in_arena(4 * output.size, "sums")
    axis_mask = -1
    if axis.data is not None:
        axes = resolve_axes(context, axis.data, len(inp.shape))
        shape = reduced_shape(inp.shape, axes, node.options.keep_dims)
        context.resize_tensor(output.index, shape)
        axis_mask = sum(1 << i for i in axes)
    input_index = context.request_scratch_buffer_in_arena(4 * len(inp.shape), "input index")
    resolved = context.request_scratch_buffer_in_arena(4 * axis.size, "resolved axes")
    # TFLM asks for these tensors a second time, for the output only if it is int8.
    input_tensor(context, node, 0)
    input_tensor(context, node, 1)
    if inp.type is TensorType.INT8:
        output_tensor(context, node)
    low, high = QUANTIZED_RANGE.get(inp.type, (0, 0))
    return MeanParams(
        axis_mask=axis_mask,
        input_zero_point=inp.zero_point,
        output_zero_point=output.zero_point,
        multiplier=multiplier,
        shift=shift,
        output_min=low,
        output_max=high,
        accumulator_scratch=accumulator_scratch,
        input_index_scratch=input_index,
        axes_scratch=resolved,
    )


def resolve_axes(context: Context, axis: Array, rank: int) -> tuple[int, ...]:
    """The axes in ascending order, each once, negative ones counted from the end.

    The axes of a scalar are not looked at.
    """
    if rank == 0:
        return ()
    axes = set()
    for value in axis.reshape(-1).tolist():
        if not -rank <= value < rank:
            context.report_error(f"expected axes from {-rank} to {rank - 1}, got {value}")
        axes.add(value % rank)
    return tuple(sorted(axes))


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keep: bool) -> tuple[int, ...]:
    """The output's shape: the axes are dropped, or of size 1 if kept."""
    sizes = (1 if axis in axes else size for axis, size in enumerate(shape))
    if keep:
        return tuple(sizes)
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: MeanParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    axes = tuple(axis for axis in range(x.ndim) if params.axis_mask >> axis & 1)
    if params.axis_mask < 0:
        axes = resolve_axes(context, input_array(context, node, 1), x.ndim)
        if x.size // prod(x.shape[axis] for axis in axes) != out.size:
            context.report_error(f"the mean over axes {axes} does not have shape {out.shape}")
    if x.dtype == np.float32:
        return mean_float(axes, x, out)
    return mean_integer(params, axes, x, out)


def mean_integer(params: MeanParams, axes: tuple[int, ...], x: Array, out: Array) -> None:
    """``out = requantise(sum(x - zero_point) / count)``; sums wrap at 32 bits."""
    count = prod(x.shape[axis] for axis in axes)
    sums = x.sum(axis=axes, dtype=np.int64) - params.input_zero_point * count
    # The multiplier takes up 1 / count with as many bits as the shift has room for.
    spare = min(count.bit_length() - 1, 32, 31 + int(bare_shift(params.shift)))
    multiplier = (params.multiplier << spare) // count
    scaled = multiply_by_quantized_multiplier(wrap_int32(sums), multiplier, params.shift - spare)
    scaled = wrap_int32(scaled + params.output_zero_point).reshape(out.shape)
    np.clip(scaled, params.output_min, params.output_max, out=out, casting="unsafe")


def mean_float(axes: tuple[int, ...], x: Array, out: Array) -> None:
    """The mean of floats, summed in float32 one after the other, in TFLM's order."""
    count = prod(x.shape[axis] for axis in axes)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*axes, *kept).reshape(count, -1)
    with np.errstate(all="ignore"):
        total = np.add.accumulate(rows, axis=0, dtype=np.float32)[-1]
        np.divide(total.reshape(out.shape), np.float32(count), out=out)


REGISTRATION = Registration(
    init=allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=ReducerOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        c.inputs_between(2, 2),
        c.outputs_exactly(1),
        c.input_types(0, TensorType.FLOAT32, TensorType.INT8, TensorType.INT16),
        c.input_types(1, TensorType.INT32),
        c.same_type(),
        has_elements,
        at_most_four_float_axes,
    ),
)
