"""MNN_LAYER_NORM: normalisation over the last axes, with a factor and a bias per element.

Facts: MNN 3.6.1 ``backend/cpu/CPULayerNorm.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.mnn.shared import from_mnn
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import (
    input_array,
    input_tensor,
    optional_input_array,
    output_array,
    output_tensor,
)
from arenite.ops.registry import Registration


@dataclass(frozen=True)
class MnnLayerNormOptions(OptionsTable):
    """The number of last axes that count, and what is added to the variance.

    ``rms`` divides by the root of the mean square, and subtracts no mean.
    """

    axes: int = 0
    epsilon: float = 0.0
    rms: bool = False


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape; factor and bias fit the last axes."""
    options: MnnLayerNormOptions = node.options
    shape = input_tensor(context, node, 0).shape
    inner = prod(shape[len(shape) - options.axes :])
    sizes = [input_tensor(context, node, i).size for i in range(1, len(node.inputs))]
    if not 0 < options.axes <= len(shape) or inner < 1 or any(n != inner for n in sizes):
        context.report_error(f"the last {options.axes} axes of {list(shape)} do not fit {sizes}")
    context.resize_tensor(output_tensor(context, node).index, shape)


def invoke(context: Context, node: Node) -> None:
    """Normalise every row."""
    options: MnnLayerNormOptions = node.options
    x, out = input_array(context, node, 0), output_array(context, node)
    rows = x.reshape(-1, prod(x.shape[x.ndim - options.axes :])).astype(np.float64)
    with np.errstate(all="ignore"):
        if not options.rms:
            rows = rows - rows.mean(1, keepdims=True)
        rows = rows / np.sqrt((rows**2).mean(1, keepdims=True) + np.float32(options.epsilon))
        factor, bias = (optional_input_array(context, node, i) for i in (1, 2))
        if factor is not None:
            rows = rows * factor.reshape(-1)
        if bias is not None:
            rows = rows + bias.reshape(-1)
    out[...] = rows.reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnLayerNormOptions,
    constraints=(
        c.inputs_between(1, 3),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.FLOAT32),
        c.same_type(),
    ),
)
