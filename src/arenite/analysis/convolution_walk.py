"""An int8 convolution's first output value on its way through CMSIS-NN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.device import DeviceOperator
from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments
from arenite.libraries.cmsis_nn.arithmetic.trace import Walk, walk
from arenite.libraries.cmsis_nn.operators.conv_2d import arguments
from arenite.model import Model, TensorType
from arenite.ops import TfLiteTensor
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter
from arenite.target import Target


@dataclass(frozen=True)
class ConvolutionWalk:
    """A walk, and the real numbers that its integers stand for."""

    numbers: Walk
    taps: tuple[int, int, int]
    input_scale: float
    weight_scale: float
    output_scale: float


def has_walk(operator: DeviceOperator) -> bool:
    """Whether CMSIS-NN convolves int8 by int8."""
    if operator.view.name != "CONV_2D" or not operator.calls_cmsis_nn:
        return False
    types = [operator.view.input(index).type for index in (0, 1)]
    return types == [TensorType.INT8, TensorType.INT8] and operator.view.input(1).is_constant


def convolution_walk(
    model: Model, operator: DeviceOperator, target: Target, inputs: Sequence[Array]
) -> ConvolutionWalk:
    """Run the model with the reference kernels, then follow one value through CMSIS-NN."""
    interpreter = Interpreter(model, target=target, engine="reference", preserve_all_tensors=True)
    for index, array in enumerate(inputs):
        interpreter.input(index)[...] = array
    interpreter.invoke()
    view = operator.view
    x, out = (interpreter.tensor(t.index) for t in (view.input(0), view.output(0)))
    weights = view.input(1)
    args = _arguments(operator, target)
    return ConvolutionWalk(
        numbers=(numbers := walk(args, x, out)),
        taps=(args.conv.filter.h, args.conv.filter.w, args.conv.filter.c),
        input_scale=view.input(0).scale,
        weight_scale=_scale_of(weights, numbers.channels[numbers.traced]),
        output_scale=view.output(0).scale,
    )


def _scale_of(weights: TfLiteTensor, channel: int) -> float:
    if weights.quantization is None:
        return 0.0
    scales = weights.quantization.scale
    return float(scales[channel if len(scales) > 1 else 0])


def _arguments(operator: DeviceOperator, target: Target) -> ConvArguments:
    view = operator.view
    bias = view.inputs[2] if len(view.inputs) > 2 else None
    weights = view.input(1).data
    assert weights is not None
    data = None if bias is None else bias.data
    operands = (view.input(0).shape, weights, data, view.output(0).shape)
    assert operator.path is not None
    return arguments(operator.params, operands, operator.path, target, Counter())


def walk_facts(what: ConvolutionWalk) -> dict[str, Any]:
    """Every number of the walk; see ``docs/cli.md`` for the keys."""
    return {**asdict(what.numbers), "agrees": what.numbers.agrees}
