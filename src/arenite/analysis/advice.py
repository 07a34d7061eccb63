"""Reasons for a quantised layer's distance from its original: ranges, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arenite.model import Model
from arenite.model.model import Array
from arenite.ops.registry import traits_of

#: From these on a layer is worth a word: shares of values at the ends, of steps in use, and the
#: ratio of the widest channel of weights to the narrowest.
_CLIPPED, _USED, _SPREAD = 0.01, 0.25, 8.0


@dataclass(frozen=True)
class Habits:
    """Behaviour of a quantised model's tensors, by index: ``clipped`` and ``used`` are shares.

    ``spread`` is how much wider the widest channel of weights is than the median one, where all
    share a scale.
    """

    clipped: dict[int, float]
    used: dict[int, tuple[int, int]]
    spread: dict[int, float]


def habits_of(model: Model, runs: Sequence[dict[int, Array]]) -> Habits:
    """The habits of a quantised model in some inferences."""
    habits = Habits({}, {}, {})
    for operator in model.main.operators:
        for index in operator.outputs:
            values = [run[index].reshape(-1) for run in runs if index in run]
            if traits_of(operator.name).fixed_output:
                continue
            if values and values[0].dtype.kind in "iu" and values[0].dtype.itemsize <= 2:
                _range(habits, index, np.concatenate(values))
            weights = model.main.tensors[operator.inputs[1]] if len(operator.inputs) > 2 else None
            if weights is not None and weights.value is not None:
                _weights(habits, index, weights.value, weights.quantization)
    return habits


def _range(habits: Habits, index: int, values: Array) -> None:
    info = np.iinfo(values.dtype)
    # The lower end is where a RELU ends on purpose.
    habits.clipped[index] = float((values == info.max).mean())
    steps = int(values.max()) - int(values.min()) + 1
    habits.used[index] = steps, int(info.max) - int(info.min) + 1


def _weights(habits: Habits, index: int, weights: Array, quantization: object) -> None:
    scales = getattr(quantization, "scale", ())
    if weights.dtype != np.int8 or len(scales) != 1 or weights.ndim < 2:
        return
    axis = 3 if weights.ndim == 4 and weights.shape[0] == 1 else 0
    rows = np.abs(np.moveaxis(weights, axis, 0).reshape(weights.shape[axis], -1).astype(np.int32))
    widths = rows.max(axis=1, initial=1)
    habits.spread[index] = float(widths.max() / max(np.median(widths), 1))


def advice_for(habits: Habits, index: int) -> tuple[str, ...]:
    """Remedies that usually help a layer, each with the number that says so."""
    words = []
    clipped, (steps, there) = habits.clipped.get(index, 0.0), habits.used.get(index, (1, 1))
    if clipped > _CLIPPED:
        words.append(f"{clipped:.0%} of its values are at the upper end: a wider range")
    if steps < _USED * there:
        words.append(f"{steps} of {there} steps are in use: a narrower range, or int16 activations")
    if habits.spread.get(index, 1.0) > _SPREAD:
        words.append(
            f"its widest channel of weights is {habits.spread[index]:.0f} times the usual one: "
            "per-channel weights"
        )
    return tuple(words)
