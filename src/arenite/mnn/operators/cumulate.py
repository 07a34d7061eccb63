"""MNN_CUMULATE: running sums or products along an axis.

Facts: MNN 3.6.1 ``geometry/GeometryCumSum.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnCumulateOptions(OptionsTable):
    """Sums or products; along which axis; from the end; without the element itself."""

    kind: str = ""
    axis: int = 0
    reverse: bool = False
    exclusive: bool = False


def kind_is_known(node: NodeView) -> bool:
    """The operation is a cumulative sum or product."""
    return node.options.kind in ("SUM", "PROD")


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    shape = input_tensor(context, node, 0).shape
    if not 0 <= node.options.axis < len(shape):
        context.report_error(f"{list(shape)} has no axis {node.options.axis}")
    context.resize_tensor(output_tensor(context, node).index, shape)


def invoke(context: Context, node: Node) -> None:
    """Accumulate."""
    options: MnnCumulateOptions = node.options
    is_sum = options.kind == "SUM"
    x = np.moveaxis(input_array(context, node, 0), options.axis, 0)
    out = np.moveaxis(output_array(context, node), options.axis, 0)
    if options.reverse:
        x, out = x[::-1], out[::-1]
    if options.exclusive:
        out[:1] = 0 if is_sum else 1
        x, out = x[:-1], out[1:]
    with np.errstate(all="ignore"):
        out[...] = (np.add if is_sum else np.multiply).accumulate(x, 0, dtype=x.dtype)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnCumulateOptions,
    constraints=(*one_to_one(TensorType.FLOAT32, TensorType.INT32), kind_is_known),
)
