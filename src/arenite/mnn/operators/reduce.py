"""MNN_REDUCE: reductions, and types, that TensorFlow Lite's operators do not have.

Facts: MNN 3.6.1 ``backend/cpu/CPUReduction.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration

Axes = tuple[int, ...]


def mean(x: Array, axes: Axes) -> Array:
    """The mean; that of integers cuts towards zero."""
    if x.dtype.kind == "f":
        return np.asarray(x.mean(axes))
    total = x.sum(axes, dtype=np.int64)
    count = max(x.size // max(total.size, 1), 1)
    return np.asarray(np.sign(total) * (np.abs(total) // count))


REDUCTIONS: Mapping[str, Callable[[Array, Axes], Array]] = {
    "SUM": lambda x, axes: np.asarray(x.sum(axes, dtype=x.dtype)),
    "MEAN": mean,
    "MAXIMUM": lambda x, axes: np.asarray(x.max(axes)),
    "MINIMUM": lambda x, axes: np.asarray(x.min(axes)),
    "PROD": lambda x, axes: np.asarray(x.prod(axes, dtype=x.dtype)),
    "ANY": lambda x, axes: np.asarray((x != 0).any(axes)),
    "ALL": lambda x, axes: np.asarray((x != 0).all(axes)),
}


@dataclass(frozen=True)
class MnnReduceOptions(OptionsTable):
    """The reduction, by MNN's name of it, and the axes that go."""

    kind: str = ""
    axes: Axes = ()


def kind_is_known(node: NodeView) -> bool:
    """The reduction is one that MNN has."""
    return node.options.kind in REDUCTIONS


def prepare(context: Context, node: Node) -> None:
    """Check that the output holds what remains."""
    options: MnnReduceOptions = node.options
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    rest = [n for axis, n in enumerate(inp.shape) if axis not in options.axes]
    if max(options.axes, default=-1) >= len(inp.shape) or np.prod(rest) != output.size:
        context.report_error(
            f"axes {options.axes} of {list(inp.shape)} do not leave {list(output.shape)}"
        )
    if inp.size == 0:
        context.report_error("there is nothing to reduce")


def invoke(context: Context, node: Node) -> None:
    """Reduce."""
    options: MnnReduceOptions = node.options
    out = output_array(context, node)
    with np.errstate(all="ignore"):
        result = REDUCTIONS[options.kind](input_array(context, node, 0), options.axes)
    out[...] = result.reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnReduceOptions,
    constraints=(*one_to_one(TensorType.FLOAT32, TensorType.INT32), kind_is_known),
)
