"""Reductions over some axes: what MEAN and SUM share, and those that compare.

Facts: TFLM ``micro/kernels/reduce_common.cc``, ``reduce.h`` and ``reference/reduce.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import Array, Context, Node, Registration, Struct, TfLiteTensor
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util


class ReducerOptions(OptionsTable, union=27):
    """``table ReducerOptions``."""

    keep_dims: bool = slot(0, "bool", False)


@dataclass(frozen=True)
class ReductionParams:
    """The axes that go, and the requantisation of a sum.

    Bit i of ``axis_mask`` is about axis i; the mask is -1 where input 1 is no constant.
    ``multiplier`` and ``shift`` stand for the scales' ratio; a mean's kernel divides it by the
    number of elements that the mean is taken of.
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


def prepare(context: Context, node: Node) -> ReductionParams:
    """Axes, output shape, requantisation, and the three scratch buffers of TFLM's loops."""
    inp, output = util.input_tensor(context, node, 0), util.output_tensor(context, node)
    axis = util.input_tensor(context, node, 1)
    quantised = inp.type is not FLOAT32
    multiplier, shift, accumulator_scratch = 0, 0, -1
    if quantised:
        ratio = util.scale_ratio(inp.scale, output.scale)
        multiplier, shift = util.requantization(context, ratio, "input / output")
        accumulator_scratch = context.request_scratch_buffer_in_arena(4 * output.size, "sums")
    axis_mask = mask_of_axes(context, node)
    input_index, resolved = request_indices(context, inp, axis)
    # TFLM asks for these tensors a second time, for the output only if it is int8.
    util.input_tensor(context, node, 0)
    util.input_tensor(context, node, 1)
    if inp.type is INT8:
        util.output_tensor(context, node)
    low, high = util.QUANTIZED_RANGE.get(inp.type, (0, 0))
    return ReductionParams(
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


def mask_of_axes(context: Context, node: Node) -> int:
    """The axes that go as a mask, and the output's shape; -1 where the axes are fed."""
    shape = context.get_eval_tensor(node.inputs[0]).shape
    axis = context.view_tensor(node.inputs[1]).data
    if axis is None:
        return -1
    axes = resolve_axes(context, axis, len(shape))
    context.resize_tensor(node.outputs[0], reduced_shape(shape, axes, node.options.keep_dims))
    return sum(1 << i for i in axes)


def request_indices(context: Context, inp: TfLiteTensor, axis: TfLiteTensor) -> tuple[int, int]:
    """The two scratch buffers of every reduction: an index into the input, and the axes."""
    index = context.request_scratch_buffer_in_arena(4 * len(inp.shape), "input index")
    return index, context.request_scratch_buffer_in_arena(4 * axis.size, "resolved axes")


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


def operands(context: Context, node: Node, name: str) -> tuple[tuple[int, ...], Array, Array]:
    """The axes that go, the input and the output; fed axes are checked here."""
    params: ReductionParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if params.axis_mask >= 0:
        return tuple(axis for axis in range(x.ndim) if params.axis_mask >> axis & 1), x, out
    axes = resolve_axes(context, util.input_array(context, node, 1), x.ndim)
    if prod(size for axis, size in enumerate(x.shape) if axis not in axes) != out.size:
        context.report_error(f"the {name} over axes {axes} does not have shape {out.shape}")
    return axes, x, out


def count_of(axes: tuple[int, ...], x: Array) -> int:
    """The number of elements of ``x`` that make one of the output."""
    return prod(x.shape[axis] for axis in axes)


def float_sums(axes: tuple[int, ...], x: Array) -> Array:
    """Sums in float32, one element after the other in memory order, as TFLM's."""
    count = count_of(axes, x)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*axes, *kept).reshape(count, -1)
    sums: Array = np.add.accumulate(rows, axis=0, dtype=np.float32)[-1]
    return sums


def requantize_sums(
    params: ReductionParams, axes: tuple[int, ...], x: Array, out: Array, scale: tuple[int, int]
) -> None:
    """``out = requantise(sum(x - zero_point))``, where sums wrap at 32 bits.

    ``scale`` is a multiplier and its shift.
    """
    sums = x.sum(axis=axes, dtype=np.int64) - params.input_zero_point * count_of(axes, x)
    scaled = multiply_by_quantized_multiplier(wrap_int32(sums), *scale)
    scaled = wrap_int32(scaled + params.output_zero_point).reshape(out.shape)
    np.clip(scaled, params.output_min, params.output_max, out=out, casting="unsafe")


def constraints(*types: TensorType) -> tuple[c.Constraint, ...]:
    """An input of one of the types, its axes, and an output of the same type."""
    return (
        *c.counts(2, 1),
        c.input_types(0, *types),
        c.input_types(1, INT32),
        c.same_type(),
    )


#: Of sums and means.
CONSTRAINTS = constraints(FLOAT32, INT8, INT16)


# -- reductions that keep the quantisation -------------------------------------------------


def register(
    name: str, reduce: Callable[[Array, tuple[int, ...]], Array], *more: c.Constraint
) -> Registration:
    """The registration of a reduction that only compares: no element becomes another number.

    ``reduce(x, axes)`` has its value of an empty input too. ``more`` are constraints, the first
    of them about types.
    """

    def invoke(context: Context, node: Node) -> None:
        axes, x, out = operands(context, node, name)
        out[...] = reduce(x, axes).reshape(out.shape)

    return Registration(
        init=util.allocate_struct(OP_DATA),
        prepare=prepare_comparison,
        invoke=invoke,
        options=ReducerOptions,
        builtin_data=BUILTIN_DATA,
        constraints=more,
    )


def prepare_comparison(context: Context, node: Node) -> ReductionParams:
    """Axes, output shape, the scratch buffers. TFLM asks for every tensor twice."""
    inp, axis = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
    if inp.type is INT8:
        util.output_tensor(context, node)
    for index in (*node.inputs, *node.outputs):
        context.get_tensor(index)
    mask = mask_of_axes(context, node)
    input_index, resolved = request_indices(context, inp, axis)
    return ReductionParams(mask, 0, 0, 0, 0, 0, 0, -1, input_index, resolved)


def extreme(name: str, reduce: np.ufunc, worst: float) -> Registration:
    """The registration of a maximum or minimum, which is ``worst`` of nothing.

    No NaN is larger or smaller than anything. ``worst`` is infinite: the largest float or int8.
    """

    def of(x: Array, axes: tuple[int, ...]) -> Array:
        low, high = (
            (util.FLOAT32_LOWEST, util.FLOAT32_MAX) if x.dtype == np.float32 else (-128, 127)
        )
        first = x.dtype.type(low if worst < 0 else high)
        return np.asarray(reduce.reduce(x, axes, initial=first))

    return register(name, of, *constraints(FLOAT32, INT8), same_quantization)


def same_quantization(node: c.NodeView) -> bool:
    """An int8 output has the input's scale and zero point."""
    inp, output = node.input(0), node.output(0)
    if inp.type is not INT8:
        return True
    return inp.scale == output.scale and inp.zero_point == output.zero_point
