"""The pass ``smooth``: channels of a tensor that use its scale alike.

A tensor has one scale for all channels, and channels of small values have few integers of it.
Where only layers read it, a channel can be made larger by the weights that compute it and smaller
by those that read it; the model stays the same. How much of the difference between channels goes
into the next weights is tried: they have scales to share as well. Facts: cross-layer equalisation
(Nagel et al. 2019) and SmoothQuant (Xiao et al. 2023).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from arenite.model import Model, Operator
from arenite.model.model import Array
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


def smooth(recipe: Recipe, means: Means) -> Iterator[tuple[str, Recipe]]:
    """The recipe with channels evened out, to several degrees."""
    model = recipe.model
    pairs = [pair for pair in pairs_of(model) if pair[0].position not in recipe.kept]
    if not pairs:
        return
    largest: dict[int, Array] = {}

    def look(index: int, values: Array) -> None:
        found = np.abs(values.reshape(-1, values.shape[-1])).max(axis=0)
        largest[index] = np.maximum(largest.get(index, found), found)

    few = means.learning.part(np.arange(min(_SAMPLES, len(means.learning))))
    look_at(model, few, [layer.operator.outputs[0] for layer, _ in pairs], look)
    for share in _SHARES:
        evened = evened_out(model, pairs, largest, share)
        seen = calibrated(evened, means.learning, executor=means.executor)
        yield f"{share:g} of differences", replace(recipe, model=evened, seen=seen)


def pairs_of(model: Model) -> list[tuple[Layer, tuple[Layer, ...]]]:
    """Layers whose outputs only other layers read, and those."""
    found = {layer.position: layer for layer in layers_of(model)}
    edit = Edit(model, 0)
    shared = _shared_constants(model)
    pairs = []
    for layer in found.values():
        readers = _readers(edit, layer.operator, found)
        sound = all(_is_free(one, shared) for one in (layer, *readers))
        if readers and sound and _is_linear(layer.operator):
            pairs.append((layer, tuple(readers)))
    return pairs


def _shared_constants(model: Model) -> set[int]:
    """Tensors that several operators read."""
    once: set[int] = set()
    twice: set[int] = set()
    for op in model.main.operators:
        for index in op.inputs:
            (twice if index in once else once).add(index)
    return twice


def _is_free(layer: Layer, shared: set[int]) -> bool:
    constants = [layer.operator.inputs[layer.weights]]
    constants += [] if layer.bias is None else [layer.operator.inputs[layer.bias]]
    return not shared.intersection(constants)


def _is_linear(op: Operator) -> bool:
    """Whether the activation passes factors on: none does, and RELU does."""
    activation = getattr(op.options, "fused_activation_function", Activation.NONE)
    return activation in (Activation.NONE, Activation.RELU)


def _readers(edit: Edit, op: Operator, layers: dict[int, Layer]) -> list[Layer]:
    """The layers that read an operator's output, past what moves channels as they are."""
    tensor = op.outputs[0]
    if not edit.is_inner(tensor):
        return []
    channels = edit.tensors[tensor].shape[-1]
    found: list[Layer] = []
    for position in edit.readers(tensor):
        reader = edit.operator(position)
        layer = layers.get(position)
        if layer is not None and layer.kernel.shape[layer.columns] == channels:
            if reader.inputs.count(tensor) != 1 or layer.source != tensor:
                return []
            found.append(layer)
            continue
        traits = traits_of(reader.name)
        is_passed = traits.values == "rising" and traits.channels == "same" and not traits.clamps
        behind = _readers(edit, reader, layers) if is_passed and _is_linear(reader) else []
        if not behind:
            return []
        found += behind
    return found


def evened_out(
    model: Model,
    pairs: list[tuple[Layer, tuple[Layer, ...]]],
    largest: dict[int, Array],
    share: float,
) -> Model:
    """The model with other weights, which computes the same."""
    kernels: dict[int, Array] = {}
    biases: dict[int, Array] = {}
    main = model.main
    for layer, readers in pairs:
        values = largest[layer.operator.outputs[0]].astype(np.float64)
        weights = np.max([_by_column(one) for one in readers], axis=0)
        factor = _factors(values, weights, share)
        _scale(kernels, layer, layer.axis, 1 / factor)
        if layer.bias is not None:
            old = main.tensors[layer.operator.inputs[layer.bias]].value
            assert old is not None
            biases[layer.position] = (old.reshape(-1) / factor).reshape(old.shape)
        for one in readers:
            _scale(kernels, one, one.columns, factor)
    edit = Edit(model, 0)
    for layer in layers_of(model):
        op = edit.operator(layer.position)
        inputs = list(op.inputs)
        for place, new in ((layer.weights, kernels), (layer.bias, biases)):
            if place is not None and layer.position in new:
                old_tensor = edit.tensors[inputs[place]]
                value = new[layer.position].astype(np.float32)
                inputs[place] = edit.add_constant(old_tensor.name, value, old_tensor)
        edit.put(layer.position, replace(op, inputs=tuple(inputs)))
    return edited(model, [edit])


def _by_column(layer: Layer) -> Array:
    """The largest weight for every channel of the input."""
    others = tuple(n for n in range(layer.kernel.ndim) if n != layer.columns)
    largest: Array = np.abs(layer.kernel.astype(np.float64)).max(axis=others)
    return largest


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


def _scale(kernels: dict[int, Array], layer: Layer, axis: int, factor: Array) -> None:
    shape = [1] * layer.kernel.ndim
    shape[axis] = -1
    old = kernels.get(layer.position, layer.kernel)
    kernels[layer.position] = old * factor.reshape(shape)
