"""The pass ``correct``: biases that take back what rounded weights add on average.

Rounding errors of weights meet inputs whose mean is not 0, as it is behind RELU; so every output
channel is off by a constant, which its bias can take back. Facts: bias correction (Nagel et al.
2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from arenite.model.model import Array
from arenite.model.types import INT4
from arenite.ops.kernel_util import unpack_int4
from arenite.quantize.improve import Means
from arenite.quantize.layers import as_matrix, columns, layers_of, look_at
from arenite.quantize.numbers import along
from arenite.quantize.plan import FLOAT
from arenite.quantize.recipe import Recipe

_SAMPLES = 64


def correct(recipe: Recipe, means: Means) -> Iterator[tuple[str, Recipe]]:
    """The recipe with other biases."""
    model, made = recipe.model, recipe.written
    layers = [
        layer
        for layer in layers_of(model)
        if layer.bias is not None and recipe.plan.precisions[layer.position] != FLOAT
    ]
    by_source: dict[int, list[int]] = {}
    for number, layer in enumerate(layers):
        by_source.setdefault(layer.source, []).append(number)
    sums: dict[int, tuple[Array, int]] = {}

    def look(index: int, values: Array) -> None:
        for number in by_source[index]:
            found = columns(layers[number], values.astype(np.float64)).mean(axis=1)
            total, count = sums.get(number, (np.zeros_like(found), 0))
            sums[number] = total + found, count + 1

    few = means.learning.part(np.arange(min(_SAMPLES, len(means.learning))))
    look_at(model, few, list(by_source), look)
    biases = dict(recipe.changes.biases)
    for number, layer in enumerate(layers):
        assert layer.bias is not None
        there = made.model.main.operators[made.operators[layer.position]]
        weights = made.model.main.tensors[there.inputs[layer.weights]]
        assert weights.value is not None
        assert weights.quantization is not None
        raw = weights.value
        if weights.type is INT4:
            raw = unpack_int4(raw, layer.kernel.size).reshape(layer.kernel.shape)
        real = raw * along(weights.quantization, layer.kernel.ndim)
        error = as_matrix(layer, real - layer.kernel)  # (groups, outputs, taps)
        total, count = sums[number]
        shift = np.einsum("got,gt->go", error, total / count).reshape(-1)
        old = model.main.tensors[layer.operator.inputs[layer.bias]].value
        assert old is not None
        biases[layer.position] = (old.reshape(-1) - shift).reshape(old.shape)
    changed = replace(recipe.changes, biases=biases)
    yield f"{len(layers)} layers", replace(recipe, changes=changed)
