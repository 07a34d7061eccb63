"""An int8 convolution's first output value on its way through CMSIS-NN, from an operator."""

from __future__ import annotations

from collections import Counter

from arenite.libraries.cmsis_nn.arithmetic.cmsis_deviations import RedoneParams
from arenite.libraries.cmsis_nn.arithmetic.trace import walk
from arenite.libraries.cmsis_nn.operators.conv_2d import arguments
from arenite.libraries.path import Path
from arenite.libraries.walk import Walk
from arenite.ops import Array, NodeView
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.target import Target


def walk_of(  # noqa: PLR0917 - as a library's walker is called
    view: NodeView,
    params: Conv2DParams | RedoneParams,
    path: Path,
    target: Target,
    x: Array,
    output: Array,
) -> Walk:
    """Follow one value; ``x`` and ``output``, the reference's, are NHWC."""
    bias = view.inputs[2] if len(view.inputs) > 2 else None
    weights = view.input(1).data
    assert weights is not None, "a convolution that is followed has constant weights"
    data = None if bias is None else bias.data
    operands = (view.input(0).shape, weights, data, view.output(0).shape)
    return walk(arguments(params, operands, path, target, Counter()), x, output)
