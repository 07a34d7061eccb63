"""The pass ``smooth``: channels of a tensor that use its scale alike.

A tensor has one scale for all channels, and channels of small values have few integers of it.
A channel can be made smaller by the constants that it comes from and larger by the weights of all
that read it; the model stays the same. It comes from a layer's weights and bias, or from factors
and summands, such as a layer normalisation's; layers and recurrent layers read it. How much of the
difference between channels goes into the next weights is tried: they have scales to share as well.
Facts: cross-layer equalisation (Nagel et al. 2019) and SmoothQuant (Xiao et al. 2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arenite.model import Model, Operator
from arenite.model.model import Array
from arenite.model.types import FLOAT32
from arenite.ops import scheme_of
from arenite.ops.kernel_util import Activation
from arenite.ops.registry import traits_of
from arenite.optimize.rewrite import Edit, edited
from arenite.quantize.calibration import calibrated
from arenite.quantize.improve import Means
from arenite.quantize.layers import Layer, layers_of, look_at
from arenite.quantize.recipe import Recipe

#: Shares of the differences between channels that go into the next layer's weights.
_SHARES = (0.3, 0.5, 0.7)
#: A channel becomes at most so many times as large or small.
_MOST = 64.0
#: So many samples say how large channels are.
_SAMPLES = 200


class Place(NamedTuple):
    """A constant that has a tensor's channels: an operator's position, its input, their axis."""

    position: int
    operand: int
    axis: int


class Link(NamedTuple):
    """A tensor whose channels may be larger or smaller.

    ``before`` are the constants that it grows with, ``after`` those that take that back.
    """

    tensor: int
    before: tuple[Place, ...]
    after: tuple[Place, ...]


def smooth(recipe: Recipe, means: Means) -> Iterator[tuple[str, Recipe]]:
    """The recipe with channels evened out, to several degrees."""
    model = recipe.model
    links = [one for one in links_of(model) if one.before[0].position not in recipe.kept]
    if not links:
        return
    largest: dict[int, Array] = {}

    def look(index: int, values: Array) -> None:
        found = np.abs(values.reshape(-1, values.shape[-1])).max(axis=0)
        largest[index] = np.maximum(largest.get(index, found), found)

    few = means.learning.part(np.arange(min(_SAMPLES, len(means.learning))))
    look_at(model, few, [link.tensor for link in links], look)
    for share in _SHARES:
        evened = evened_out(model, links, largest, share)
        seen = calibrated(evened, means.learning, executor=means.executor)
        yield f"{share:g} of differences", replace(recipe, model=evened, seen=seen)


# -- where channels may change -----------------------------------------------------------


def links_of(model: Model) -> list[Link]:
    """All tensors whose channels may be larger or smaller, in the order of their operators."""
    edit = Edit(model, 0)
    layers = {layer.position: layer for layer in layers_of(model)}
    shared = _shared_constants(model)
    links = []
    for _, op in edit:
        if not op.outputs:
            continue
        before = _sources(edit, op.outputs[0], layers)
        after = _readers(edit, op.outputs[0]) if before else []
        places = [*before, *after]
        constants = {edit.operator(one.position).inputs[one.operand] for one in places}
        if after and not shared.intersection(constants):
            links.append(Link(op.outputs[0], tuple(before), tuple(after)))
    return links


def _shared_constants(model: Model) -> set[int]:
    """Tensors that several operators read."""
    once: set[int] = set()
    twice: set[int] = set()
    for op in model.main.operators:
        for index in op.inputs:
            (twice if index in once else once).add(index)
    return twice


def _is_linear(op: Operator) -> bool:
    """Whether the activation passes factors on: none does, and RELU does."""
    activation = getattr(op.options, "fused_activation_function", Activation.NONE)
    return activation in (Activation.NONE, Activation.RELU)


def _sources(edit: Edit, tensor: int, layers: dict[int, Layer]) -> list[Place]:
    """The constants that a tensor's channels grow with; empty where it is not theirs alone."""
    position = edit.writer(tensor)
    if position is None or not _is_linear(edit.operator(position)):
        return []
    layer = layers.get(position)
    if layer is None:
        return _affine(edit, position, layers)
    places = [Place(position, layer.weights, layer.axis)]
    return places if layer.bias is None else [*places, Place(position, layer.bias, -1)]


def _affine(edit: Edit, position: int, layers: dict[int, Layer]) -> list[Place]:
    """A factor per channel; a summand per channel, and what it is added to has to grow as well."""
    op = edit.operator(position)
    scheme = scheme_of(op.name)
    if scheme is None or scheme.affine not in ("adds", "subtracts", "multiplies"):
        return []
    index = next((n for n in range(len(op.inputs)) if edit.constant(op, n) is not None), None)
    if index is None or len(op.inputs) != 2:
        return []
    value, other = edit.tensors[op.inputs[index]], op.inputs[1 - index]
    shape = edit.tensors[op.outputs[0]].shape
    per_channel = value.shape[-1:] == shape[-1:] == (math.prod(value.shape),)
    if not per_channel or value.type is not FLOAT32 or edit.tensors[other].shape != shape:
        return []
    own = Place(position, index, -1)
    if scheme.affine == "multiplies":
        return [own]
    inner = [] if edit.only_reader(other) is None else _sources(edit, other, layers)
    return [own, *inner] if inner else []


def _readers(edit: Edit, tensor: int) -> list[Place]:
    """The weights that read a tensor's channels, past what moves channels as they are.

    Empty where something else reads it.
    """
    if not edit.is_inner(tensor):
        return []
    channels = edit.tensors[tensor].shape[-1]
    found: list[Place] = []
    for position in edit.readers(tensor):
        reader = edit.operator(position)
        places = _columns(edit, position, channels)
        if places:
            if reader.inputs.count(tensor) != 1 or reader.inputs[0] != tensor:
                return []
            found += places
            continue
        traits = traits_of(reader.name)
        is_passed = traits.values == "rising" and traits.channels == "same" and not traits.clamps
        behind = _readers(edit, reader.outputs[0]) if is_passed and _is_linear(reader) else []
        if not behind:
            return []
        found += behind
    return found


def _columns(edit: Edit, position: int, channels: int) -> list[Place]:
    """Where an operator's weights have a column per channel; empty where not all of them do."""
    op = edit.operator(position)
    scheme = scheme_of(op.name)
    stated = {} if scheme is None else scheme.weights
    found = []
    for index, weights in stated.items():
        if weights.columns is None or index >= len(op.inputs) or op.inputs[index] < 0:
            continue
        value = edit.constant(op, index)
        if value is None or value.shape[weights.columns] != channels:
            return []
        found.append(Place(position, index, weights.columns))
    return found


# -- other constants, the same model -----------------------------------------------------


def evened_out(model: Model, links: list[Link], largest: dict[int, Array], share: float) -> Model:
    """The model with other constants, which computes the same."""
    main = model.main
    changed: dict[int, dict[int, Array]] = {}

    def constant(place: Place) -> Array:
        value = main.tensors[main.operators[place.position].inputs[place.operand]].value
        assert value is not None
        return value

    for link in links:
        weights = np.max([_by_channel(constant(one), one.axis) for one in link.after], axis=0)
        factor = _factors(largest[link.tensor].astype(np.float64), weights, share)
        for place in (*link.before, *link.after):
            mine = changed.setdefault(place.position, {})
            old = mine.get(place.operand, constant(place))
            by = 1 / factor if place in link.before else factor
            mine[place.operand] = old * _along(by, place.axis, old.ndim)
    edit = Edit(model, 0)
    for position, values in changed.items():
        op = edit.operator(position)
        inputs = list(op.inputs)
        for index, value in values.items():
            like = edit.tensors[inputs[index]]
            inputs[index] = edit.add_constant(like.name, value.astype(np.float32), like)
        edit.put(position, replace(op, inputs=tuple(inputs)))
    return edited(model, [edit])


def _by_channel(value: Array, axis: int) -> Array:
    """The largest weight for every channel of the input."""
    others = tuple(n for n in range(value.ndim) if n != axis)
    largest: Array = np.abs(value.astype(np.float64)).max(axis=others)
    return largest


def _along(factor: Array, axis: int, rank: int) -> Array:
    shape = [1] * rank
    shape[axis] = -1
    return factor.reshape(shape)


def _factors(values: Array, weights: Array, share: float) -> Array:
    """The divisor of each channel; powers of two, so that nothing is rounded."""
    there = (values > 0) & (weights > 0)
    if not there.any():
        return np.ones(len(values))
    with np.errstate(divide="ignore"):
        raw = share * np.log2(values) - (1 - share) * np.log2(weights)
    raw = np.where(there, raw, 0.0)
    raw[there] -= np.median(raw[there])
    limit = np.log2(_MOST)
    factors: Array = 2.0 ** np.rint(np.clip(np.where(there, raw, 0.0), -limit, limit))
    return factors
