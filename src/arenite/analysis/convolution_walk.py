"""An int8 convolution's first output value on its way through a library's arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.device import DeviceOperator
from arenite.libraries.library import library_of
from arenite.libraries.walk import Walk
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


def has_walk(operator: DeviceOperator, target: Target) -> bool:
    """Whether a library whose arithmetic is modelled convolves int8 by int8."""
    if operator.view.name != "CONV_2D" or not operator.calls_library:
        return False
    if library_of(target).walker is None:
        return False
    types = [operator.view.input(index).type for index in (0, 1)]
    return types == [TensorType.INT8, TensorType.INT8] and operator.view.input(1).is_constant


def convolution_walk(
    model: Model, operator: DeviceOperator, target: Target, inputs: Sequence[Array]
) -> ConvolutionWalk:
    """Run the model with the reference kernels, then follow one value through the library."""
    interpreter = Interpreter(model, target=target, engine="reference", preserve_all_tensors=True)
    for index, array in enumerate(inputs):
        interpreter.input(index)[...] = array
    interpreter.invoke()
    view = operator.view
    x, out = (interpreter.tensor(t.index) for t in (view.input(0), view.output(0)))
    weights = view.input(1)
    walker = library_of(target).walker
    assert walker is not None
    assert operator.path is not None
    numbers = walker()(view, operator.params, operator.path, target, x, out)
    height, width, depth = weights.shape[1:]
    return ConvolutionWalk(
        numbers=numbers,
        taps=(height, width, depth),
        input_scale=view.input(0).scale,
        weight_scale=_scale_of(weights, numbers.channels[numbers.traced]),
        output_scale=view.output(0).scale,
    )


def _scale_of(weights: TfLiteTensor, channel: int) -> float:
    if weights.quantization is None:
        return 0.0
    scales = weights.quantization.scale
    return float(scales[channel if len(scales) > 1 else 0])


def walk_facts(what: ConvolutionWalk) -> dict[str, Any]:
    """Every number of the walk; see ``docs/cli.md`` for the keys."""
    return {**asdict(what.numbers), "agrees": what.numbers.agrees}
