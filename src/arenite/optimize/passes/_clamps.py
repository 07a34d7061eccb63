"""Clamps that become the activation of the operator before them.

A layer computes ``clip(v, low, high)`` of an integer ``v`` that does not depend on its activation,
with the bounds of TFLM's ``CalculateActivationRangeQuantized``. An operator behind it that is
``clip(q, l, h)`` for every value ``q``, which is checked by running it on all of them, makes
``clip(v, L, H)`` of that with ``L = clip(low, l, h)``, ``H = clip(high, l, h)``. If there is an
activation with exactly these bounds, the layer with it and without the operator is the same.

Floats are the same with real bounds: ``std::min(std::max(v, low), high)``. Only layers of
products count, whose sums are never -0: they begin with +0.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from arenite.errors import ConstraintError
from arenite.model import Operator, Tensor, TensorType
from arenite.ops.context import TfLiteTensor, params_of
from arenite.ops.kernel_util import Activation, activation_range, activation_range_quantized
from arenite.ops.registry import traits_of
from arenite.optimize.builds import every_value, table
from arenite.optimize.passes._result import Changed, Declined, Result
from arenite.optimize.rewrite import Edit, same_kind

Bounds = tuple[float, float]
ACTIVATIONS = (Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6)
_FLOAT_CLAMPS: dict[str, Bounds] = {"RELU": (0.0, math.inf), "RELU6": (0.0, 6.0)}


def fuse_clamp(edit: Edit, position: int) -> Result:
    """Fuse a clamp with the layer before it."""
    clamp = edit.operator(position)
    if not traits_of(clamp.name).clamps or clamp.is_custom or len(clamp.outputs) != 1:
        return None
    source = operand(edit, clamp)
    writer = None if source is None else edit.writer(source)
    if source is None or writer is None:
        return None
    layer = edit.operator(writer)
    if not traits_of(layer.name).fuses_clamp or layer.is_custom or layer.outputs != (source,):
        return None
    reason = _why_not(edit, layer, clamp, source, position)
    if reason:
        return Declined(f"{clamp.name} stays behind {layer.name}: {reason}")
    activation = _activation(edit, layer, clamp, source)
    if isinstance(activation, str):
        return Declined(f"{clamp.name} stays behind {layer.name}: {activation}")
    options: Any = layer.options
    options = replace(options, fused_activation_function=int(activation))
    edit.put(position, None)
    edit.put(writer, replace(layer, options=options, outputs=clamp.outputs))
    return Changed(
        f"{clamp.name} became the activation {activation.name} of {layer.name} at "
        f"{edit.place(writer)}: equal bounds for every value"
    )


def operand(edit: Edit, clamp: Operator) -> int | None:
    """The input that is clamped; the other one, if any, is a constant."""
    inputs = [i for i in clamp.inputs if i >= 0]
    if len(inputs) != len(clamp.inputs) or len(inputs) > 2:
        return None
    varying = [i for i in inputs if not edit.tensors[i].is_constant]
    return varying[0] if len(varying) == 1 else None


def _why_not(edit: Edit, layer: Operator, clamp: Operator, source: int, position: int) -> str:
    x, y = edit.tensors[source], edit.tensors[clamp.outputs[0]]
    options: Any = layer.options
    if not hasattr(options, "fused_activation_function"):
        return "its options are not known"
    if options.fused_activation_function not in ACTIVATIONS:
        return "it has an activation that is no clamp"
    if edit.only_reader(source) != position:
        return f"its output {x.name!r} is needed elsewhere"
    if y.is_variable or x.shape != y.shape:
        return "the output has another shape, or is a variable"
    if not same_kind(x, y):
        return "the output has another quantisation, which the layer would round to otherwise"
    return ""


def _activation(edit: Edit, layer: Operator, clamp: Operator, source: int) -> Activation | str:
    """The activation that stands for the layer's own and the clamp, or why there is none."""
    x, y = edit.tensors[source], edit.tensors[clamp.outputs[0]]
    bounds = _bounds(edit, layer, clamp, source)
    if isinstance(bounds, str):
        return bounds
    options: Any = layer.options
    own = range_of(options.fused_activation_function, x)
    if own is None:
        return "the layer's own bounds are not legal"
    wanted = tuple(min(max(value, bounds[0]), bounds[1]) for value in own)
    for activation in ACTIVATIONS:
        if range_of(activation, y) == wanted:
            return activation
    return f"no activation has the bounds {wanted[0]:g} to {wanted[1]:g}"


def _bounds(edit: Edit, layer: Operator, clamp: Operator, source: int) -> Bounds | str:
    """The bounds of a clamp in its output's own values, or why it has none."""
    x, y = edit.tensors[source], edit.tensors[clamp.outputs[0]]
    if x.type is TensorType.FLOAT32:
        if traits_of(layer.name).values != "sums":
            return "a float of -0 may come out otherwise"
        found = _FLOAT_CLAMPS.get(clamp.name)
        return "NaN comes out otherwise" if found is None else found
    if len(clamp.inputs) == 1:
        results = table(clamp, x, y, None)
    else:
        first = clamp.inputs[0] == source
        bound = edit.tensors[clamp.inputs[1 if first else 0]]
        results = table(clamp, x, y, bound, first=first)
    if results is None:
        return "builds differ in what it computes, or it has no single bound"
    low, high = int(results.min()), int(results.max())
    if not np.array_equal(results, np.clip(every_value(x.type), low, high)):
        return "it rescales as well"
    return low, high


class _Refusing:
    """The part of a context that bounds need."""

    @staticmethod
    def report_error(message: str) -> NoReturn:
        """Raise ``ConstraintError``."""
        raise ConstraintError(message)


def range_of(activation: int, tensor: Tensor) -> Bounds | None:
    """The bounds of an activation in a tensor's own values; None where there are none."""
    if tensor.type is TensorType.FLOAT32:
        return activation_range(activation)
    if tensor.type not in (TensorType.INT8, TensorType.INT16):
        return None
    scale, zero_point, _ = params_of(tensor.quantization)
    output = TfLiteTensor(
        0, tensor.name, tensor.type, tensor.shape, scale=scale, zero_point=zero_point
    )
    context: Any = _Refusing()
    try:
        return activation_range_quantized(context, activation, output)
    except ConstraintError:
        return None
