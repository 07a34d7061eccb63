"""A float model with fewer operators to quantise: what constants can do is done by weights.

Batch normalisation and other scales behind a layer of sums go into its weights and bias, lone
activations into the operator before them. The model computes the same, to within float32's
rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from arenite.model import Model, Operator
from arenite.model.model import Array
from arenite.model.types import FLOAT32
from arenite.ops import scheme_of
from arenite.ops.kernel_util import Activation
from arenite.ops.registry import traits_of
from arenite.ops.tflite.mul import MulOptions
from arenite.optimize.optimizer import run_pass
from arenite.optimize.rewrite import Edit, edited
from arenite.optimize.settings import Settings
from arenite.target import Target


def lowered_first(model: Model, target: Target | None) -> tuple[Model, tuple[str, ...]]:
    """The model with what TFLM lacks written from what it has, and what was done, in words."""
    if model.format == "mnn":
        return model, ()
    step = run_pass("lower", model, Settings(target, lower=True))
    return step.after, tuple(map(str, step.changes))


def rewritten(model: Model) -> tuple[Model, tuple[str, ...]]:
    """The model with less to quantise, and what was done, in words."""
    notes: list[str] = []
    for name in ("fold", "clean"):
        step = run_pass(name, model, Settings())
        model = step.after
        notes += map(str, step.changes)
    edit = Edit(model, 0)
    for position, op in edit:
        done = (
            _fold(edit, position, op) or _fuse(edit, position, op) or _multiply(edit, position, op)
        )
        if done:
            notes.append(f"{edit.place(position)}: {op.name} {done}")
    return edited(model, [edit]), tuple(notes)


# -- activations -------------------------------------------------------------------------


def _fuse(edit: Edit, position: int, op: Operator) -> str:
    """An activation that the operator before it can end in."""
    scheme = scheme_of(op.name)
    if scheme is None or not scheme.fused:
        return ""
    before = _lone_writer(edit, position, op, 0)
    if before is None or not traits_of(edit.operator(before).name).fuses_clamp:
        return ""
    edit.put(before, _with_activation(edit.operator(before), scheme.fused, op.outputs))
    edit.put(position, None)
    return f"became the activation of {edit.operator(before).name}"


def _lone_writer(edit: Edit, position: int, op: Operator, index: int) -> int | None:
    """The writer of an input that nobody else reads, and has no activation yet."""
    tensor = op.inputs[index]
    if tensor < 0 or edit.tensors[tensor].type is not FLOAT32:
        return None
    writer = edit.writer(tensor)
    if writer is None or edit.only_reader(tensor) != position:
        return None
    options = edit.operator(writer).options
    fused = getattr(options, "fused_activation_function", None)
    return writer if fused == Activation.NONE else None


def _with_activation(op: Operator, fused: int, outputs: tuple[int, ...]) -> Operator:
    assert op.options is not None
    options = replace(op.options, fused_activation_function=int(fused))  # type: ignore[call-arg]
    return replace(op, options=options, raw_options=None, outputs=outputs)


# -- scales and offsets ------------------------------------------------------------------


def _multiply(edit: Edit, position: int, op: Operator) -> str:
    """A product in the place of what integers do worse or not at all.

    Those are quotients by constants, squares, and negated values.
    """
    scheme, product = scheme_of(op.name), traits_of(op.name).product
    factor, activation = None, 0
    if not op.inputs or op.inputs[0] < 0 or edit.tensors[op.inputs[0]].type is not FLOAT32:
        return ""
    if scheme is not None and scheme.affine == "divides":
        factor = _inverse(edit.constant(op, 1))
        activation = 0 if op.options is None else cast(Any, op.options).fused_activation_function
    elif product == "negated":
        factor = np.full((1,), -1, np.float32)
    if product == "squared":
        other = op.inputs[0]
    elif factor is None:
        return ""
    else:
        old = edit.tensors[op.inputs[0]]
        plain = replace(old, quantization=None, is_variable=False)
        other = edit.add_constant(f"{old.name}/factor", factor, plain)
    options = MulOptions(fused_activation_function=activation)
    edit.put(position, Operator("MUL", (op.inputs[0], other), op.outputs, options))
    return "became a MUL"


def _inverse(divisor: Array | None) -> Array | None:
    """Factors in the place of constant divisors; None where there are none."""
    if divisor is None or divisor.dtype != np.float32 or not divisor.size:
        return None
    with np.errstate(all="ignore"):
        factor: Array = (1 / divisor.astype(np.float64)).astype(np.float32)
    return factor if np.isfinite(factor).all() and factor.all() else None


class _Layer(NamedTuple):
    """A layer of sums: where its weights and bias are, and their values."""

    position: int
    weights: int
    axis: int
    bias: int
    kernel: Array
    summand: Array


def _fold(edit: Edit, position: int, op: Operator) -> str:
    """A constant factor or summand behind a layer of sums."""
    scheme = scheme_of(op.name)
    if scheme is None or not scheme.affine or len(op.inputs) != 2:
        return ""
    index = next((n for n in (0, 1) if edit.constant(op, 1 - n) is not None), None)
    if index is None or (index == 1 and scheme.affine in ("subtracts", "divides")):
        return ""
    before = _lone_writer(edit, position, op, index)
    layer = None if before is None else _layer(edit, before)
    constant = edit.constant(op, 1 - index)
    assert constant is not None
    if layer is None or constant.dtype != np.float32:
        return ""
    shape = edit.tensors[op.inputs[index]].shape
    channel = _per_channel(constant, len(layer.summand), shape)
    if channel is None or edit.tensors[op.outputs[0]].shape != shape:
        return ""
    factor, summand = np.ones(len(channel)), layer.summand
    match scheme.affine:
        case "adds":
            summand = summand + channel
        case "subtracts":
            summand = summand - channel
        case "multiplies":
            factor, summand = channel, summand * channel
        case _:
            factor, summand = 1 / channel, summand / channel
    if not (np.isfinite(factor).all() and np.isfinite(summand).all()):
        return ""
    _rescale(edit, layer, factor, summand)
    options = cast(Any, op.options)
    activation = 0 if options is None else options.fused_activation_function
    edit.put(
        layer.position, _with_activation(edit.operator(layer.position), activation, op.outputs)
    )
    edit.put(position, None)
    return f"went into the weights of {edit.operator(layer.position).name}"


def _layer(edit: Edit, position: int) -> _Layer | None:
    """An operator whose constants are weights with an axis of outputs, and a bias."""
    op = edit.operator(position)
    scheme = scheme_of(op.name)
    if scheme is None or len(scheme.weights) != 1 or len(scheme.biases) != 1:
        return None
    ((weights, stated),) = scheme.weights.items()
    (bias,) = scheme.biases
    kernel = edit.constant(op, weights)
    if kernel is None or stated.axis is None or kernel.dtype != np.float32:
        return None
    given = edit.constant(op, bias)
    if given is None and bias < len(op.inputs) and op.inputs[bias] >= 0:
        return None
    channels = kernel.shape[stated.axis]
    summand = np.zeros(channels) if given is None else given.astype(np.float64).reshape(-1)
    return _Layer(position, weights, stated.axis, bias, kernel, summand)


def _per_channel(constant: Array, channels: int, shape: tuple[int, ...]) -> Array | None:
    """A constant as one number per channel, which are last; None where it is no such thing."""
    if constant.size == 1:
        return np.full(channels, float(constant.reshape(-1)[0]))
    is_last = constant.shape[-1:] == (channels,) and constant.size == channels
    return constant.astype(np.float64).reshape(-1) if is_last and shape[-1] == channels else None


def _rescale(edit: Edit, layer: _Layer, factor: Array, summand: Array) -> None:
    """Give a layer other weights and another bias."""
    op = edit.operator(layer.position)
    along = [1] * layer.kernel.ndim
    along[layer.axis] = -1
    kernel = (layer.kernel * factor.reshape(along)).astype(np.float32)
    old = edit.tensors[op.inputs[layer.weights]]
    inputs = [*op.inputs, *[-1] * (layer.bias + 1 - len(op.inputs))]
    inputs[layer.weights] = edit.add_constant(old.name, kernel, old)
    inputs[layer.bias] = edit.add_constant(f"{old.name}/bias", summand.astype(np.float32), old)
    edit.put(layer.position, replace(op, inputs=tuple(inputs)))
