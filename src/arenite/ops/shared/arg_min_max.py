"""Common parts of ARG_MAX and ARG_MIN.

Facts: TFLM ``micro/kernels/arg_min_max.cc`` and ``reference/arg_min_max.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT32
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, output_array


@dataclass(frozen=True)
class ArgMinMaxParams:
    """The axis that is searched, or -1 where input 1 is no constant."""

    axis: int


def has_elements(node: c.NodeView) -> bool:
    """Input 0 has at least 1 dimension and 1 element, and input 1 at least 1 element."""
    return len(node.input(0).shape) > 0 and node.input(0).size > 0 and node.input(1).size > 0


def prepare(context: Context, node: Node) -> ArgMinMaxParams:
    """The axis and the output's shape. TFLM prepares nothing and asks for no tensor."""
    shape = context.get_eval_tensor(node.inputs[0]).shape
    axis = context.get_eval_tensor(node.inputs[1]).data
    if axis is None or axis.flags.writeable:
        return ArgMinMaxParams(-1)
    resolved = resolve_axis(context, axis, len(shape))
    context.resize_tensor(node.outputs[0], shape[:resolved] + shape[resolved + 1 :])
    return ArgMinMaxParams(resolved)


def resolve_axis(context: Context, axis: Array, rank: int) -> int:
    """The first element of ``axis``; a negative one counts from the end."""
    value = int(axis.reshape(-1)[0])
    if not -rank <= value < rank:
        context.report_error(f"expected an axis from {-rank} to {rank - 1}, got {value}")
    return value % rank


def arg_min_max(search: Callable[..., Array], worst: float, x: Array, axis: int) -> Array:
    """Indices along ``axis``, the first among equals, with NumPy's ``argmax`` or ``argmin``.

    C compares NaN with nothing: NaN is never found, except at index 0, where nothing can
    replace it. ``worst`` is the value that stands for it.
    """
    if x.dtype != np.float32 or not np.isnan(x).any():
        return search(x, axis)
    found = search(np.where(np.isnan(x), np.float32(worst), x), axis)
    return np.where(np.isnan(x.take(0, axis)), 0, found)


def register(
    options: type[OptionsTable], search: Callable[..., Array], worst: float
) -> Registration:
    """The registration of one of the two; see :func:`arg_min_max`."""

    def invoke(context: Context, node: Node) -> None:
        params: ArgMinMaxParams = node.params
        x, out, axis = input_array(context, node, 0), output_array(context, node), params.axis
        if axis < 0:
            axis = resolve_axis(context, input_array(context, node, 1), x.ndim)
            if x.size // x.shape[axis] != out.size:
                context.report_error(f"indices along axis {axis} do not have shape {out.shape}")
        out[...] = arg_min_max(search, worst, x, axis).reshape(out.shape)

    return Registration(
        prepare=prepare,
        invoke=invoke,
        options=options,
        builtin_data=Struct(options.__name__, ("enum",)),
        constraints=(
            *c.counts(2, 1),
            c.input_types(0, FLOAT32, INT8),
            c.input_types(1, INT32),
            c.output_type(INT32),
            has_elements,
        ),
    )
