"""The pass ``round``: weights are rounded together, so that what they sum stays what it was.

The nearest integer for each weight is not the best one for their sum: a weight's rounding error can
be taken back by weights whose inputs go up and down with its own. Layer by layer, the inputs that
the integer model has there say how; of each layer the integer kernel's output next to the float
model's decides whether the new weights stay. Facts: GPTQ (Frantar et al. 2022) for the order of
rounding and the way errors are passed on, AdaRound (Nagel et al. 2020) for the aim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.linalg import LinAlgError

from arenite.model.model import Array
from arenite.model.types import INT4
from arenite.quantize.calibration import runs
from arenite.quantize.improve import Means
from arenite.quantize.judge import Judge, decibels, energies, pairs_of
from arenite.quantize.layers import Layer, as_kernel, as_matrix, columns, layers_of
from arenite.quantize.numbers import MOST, along
from arenite.quantize.plan import FLOAT
from arenite.quantize.recipe import Recipe
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import dequantized

#: So many samples, and rows of their inputs, are learnt from.
_SAMPLES, _ROWS = 24, 4096
#: Of the mean of the diagonal: keeps inputs that never change from being trusted.
_DAMPING = 0.01
#: Sums of more products than these would take too long.
_MOST_TAPS = 4096


def round(recipe: Recipe, means: Means) -> Iterator[tuple[str, Recipe]]:  # noqa: A001 - its name
    """The recipe with weights rounded anew, layer by layer."""
    few = means.learning.part(np.arange(min(_SAMPLES, len(means.learning))))
    judge = Judge.of(recipe.model, few, means.settings.target)
    layers = [
        layer
        for layer in layers_of(recipe.model)
        if recipe.plan.precisions[layer.position] != FLOAT
        and as_matrix(layer, layer.kernel).shape[2] <= _MOST_TAPS
    ]
    better = 0
    for layer in layers:
        candidate = _with_layer(recipe, judge, layer)
        if candidate is not None and _at(judge, candidate, layer) > _at(judge, recipe, layer):
            recipe, better = candidate, better + 1
    if better:
        yield f"{better} of {len(layers)} layers", recipe


def _with_layer(recipe: Recipe, judge: Judge, layer: Layer) -> Recipe | None:
    """The recipe with a layer's weights rounded together."""
    made = recipe.written
    op = made.model.main.operators[made.operators[layer.position]]
    weights = made.model.main.tensors[op.inputs[layer.weights]]
    assert weights.quantization is not None
    inputs = _inputs(judge, recipe, layer, op.inputs[0])
    scales = np.broadcast_to(along(weights.quantization, layer.kernel.ndim), layer.kernel.shape)
    try:
        found = rounded(
            as_matrix(layer, layer.kernel.astype(np.float64)),
            as_matrix(layer, scales),
            inputs,
            MOST[weights.type],
        )
    except LinAlgError:
        return None
    kind = np.int8 if weights.type is INT4 else weights.type.dtype
    integers = {
        **recipe.changes.integers,
        layer.position: as_kernel(layer, found).astype(kind),
    }
    scale = {**recipe.changes.scales, layer.position: weights.quantization}
    return replace(recipe, changes=replace(recipe.changes, integers=integers, scales=scale))


def _inputs(judge: Judge, recipe: Recipe, layer: Layer, tensor: int) -> Array:
    """Factors of a layer's weights in the integer model, as ``(groups, rows, taps)``."""
    made = recipe.written.model
    run = Interpreter(made, preserve_all_tensors=True, target=judge.target)
    facts, found = made.main.tensors[tensor], []
    share = max(1, _ROWS // max(1, len(judge.fed.inputs[0])))
    rng = np.random.default_rng(0)
    for _ in runs(run, judge.fed):
        rows = columns(layer, dequantized(run.tensor(tensor), facts).astype(np.float64))
        if rows.shape[1] > share:
            rows = rows[:, np.sort(rng.choice(rows.shape[1], share, replace=False))]
        found.append(rows)
    return np.concatenate(found, axis=1)


def rounded(weights: Array, scales: Array, inputs: Array, most: int) -> Array:
    """Integers for weights that keep the sums of their products with inputs.

    Args:
        weights: ``(groups, outputs, taps)``.
        scales: Of each of them.
        inputs: ``(groups, rows, taps)``.
        most: The largest integer.

    Raises:
        LinAlgError: The inputs say nothing.
    """
    left = weights.copy()
    gram = np.einsum("grt,gru->gtu", inputs, inputs, optimize=True)
    diagonal = np.einsum("gtt->gt", gram)
    damping = _DAMPING * diagonal.mean(axis=1, keepdims=True)
    diagonal += np.where(damping > 0, damping, 1.0)
    inverse = np.linalg.inv(gram)
    upper = np.linalg.cholesky((inverse + inverse.transpose(0, 2, 1)) / 2).transpose(0, 2, 1)
    found: Array = np.empty_like(left)
    for tap in range(left.shape[2]):
        scale = scales[:, :, tap]
        found[:, :, tap] = np.clip(np.rint(left[:, :, tap] / scale), -most, most)
        error = left[:, :, tap] - found[:, :, tap] * scale
        error /= upper[:, None, tap, tap]
        left[:, :, tap:] -= error[:, :, None] * upper[:, None, tap, tap:]
    return found


def _at(judge: Judge, recipe: Recipe, layer: Layer) -> float:
    """The SQNR of a layer's output, by the integer kernel, next to the float model's."""
    total = [0.0, 0.0]

    def look(_: int, ours: Array, theirs: Array) -> None:
        signal, noise = energies(ours, theirs)
        total[0] += signal
        total[1] += noise

    pairs_of(judge, recipe.written, [layer.operator.outputs[0]], look)
    return decibels(*total)
