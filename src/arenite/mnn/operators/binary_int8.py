"""MNN_BINARY_INT8: a function of two real numbers, on int8 with scales.

``q = clamp(round(f(a, b) / scale) + zero)``, halves away from zero. Facts: MNN 3.6.1
``backend/cpu/CPUBinaryInt8.cpp``, ``compute/Int8FunctionsOpt.cpp``, ``BinaryUtils.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.arithmetic.functions import BINARY, binary_takes
from arenite.mnn.shared import from_mnn, real_numbers, rounded, shapes_broadcast
from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration

_LIMIT = 2.0**31
_UNIT = 1 << 16
#: The functions that have a native kernel, by their number in it.
_NATIVE = ("ADD", "SUB", "MUL", "REALDIV", "SquaredDifference", "MAXIMUM", "MINIMUM")


@dataclass(frozen=True)
class MnnBinaryInt8Options(OptionsTable):
    """The function, by MNN's name of it, and the range of the output.

    ``unscaled``: the output counts whole numbers, whatever its scale, and the inputs' scales are
    cut off to multiples of ``2**-16``; so have it MNN's maximum and minimum.
    """

    kind: str = ""
    low: int = -128
    high: int = 127
    unscaled: bool = False


@dataclass(frozen=True)
class MnnBinaryInt8Params:
    """Scales and zero points, and the output's range; ``function`` is -1 for most of them."""

    function: int
    scale1: float
    scale2: float
    output_scale: float
    zero_point1: int
    zero_point2: int
    output_zero_point: int
    activation_min: int
    activation_max: int


def all_have_scales(node: NodeView) -> bool:
    """Both inputs and the output have a scale."""
    tensors = (node.input(0), node.input(1), node.output(0))
    return all(tensor.quantization is not None for tensor in tensors)


def kind_takes_floats(node: NodeView) -> bool:
    """MNN has the function for real numbers."""
    return binary_takes(node.options.kind, is_float=True)


def prepare(context: Context, node: Node) -> MnnBinaryInt8Params:
    """The output has the common shape of the inputs."""
    options: MnnBinaryInt8Options = node.options
    a, b, out = (*(input_tensor(context, node, i) for i in range(2)), output_tensor(context, node))
    context.resize_tensor(out.index, np.broadcast_shapes(a.shape, b.shape))
    scales = (a.scale, b.scale, out.scale)
    if options.unscaled:
        scales = (int(a.scale * _UNIT) / _UNIT, int(b.scale * _UNIT) / _UNIT, 1.0)
    return MnnBinaryInt8Params(
        _NATIVE.index(options.kind) if options.kind in _NATIVE else -1,
        *scales,
        *(a.zero_point, b.zero_point, out.zero_point),
        *(options.low, options.high),
    )


def invoke(context: Context, node: Node) -> None:
    """Apply the function to every pair of elements."""
    options: MnnBinaryInt8Options = node.options
    params: MnnBinaryInt8Params = node.params
    a = real_numbers(input_array(context, node, 0), params.scale1, params.zero_point1)
    b = real_numbers(input_array(context, node, 1), params.scale2, params.zero_point2)
    with np.errstate(all="ignore"):
        steps = BINARY[options.kind](a, b) * (np.float32(1) / np.float32(params.output_scale))
        # What is too large for int32 is its smallest number to the processor.
        steps = np.where(np.abs(steps) < _LIMIT, steps, np.float32(-_LIMIT))
        whole = rounded(steps, -_LIMIT, _LIMIT, whole=True)
    moved = whole + np.float32(params.output_zero_point)
    out = output_array(context, node)
    out[...] = np.clip(moved, params.activation_min, params.activation_max)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnBinaryInt8Options,
    constraints=(
        c.inputs_between(2, 2),
        c.outputs_exactly(1),
        from_mnn,
        c.input_types(0, TensorType.INT8),
        c.input_types(1, TensorType.INT8),
        c.same_type(),
        kind_takes_floats,
        all_have_scales,
        shapes_broadcast,
    ),
)
