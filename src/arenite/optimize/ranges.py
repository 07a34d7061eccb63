"""Ranges of values: how far every channel of every tensor can go, whatever the inputs are.

Ranges begin with the types of the inputs, or with what the user promises of them, and are carried
through the graph operator by operator (``docs/optimize.md`` has the argument):

- Convolutions and fully connected layers: interval arithmetic (:mod:`arenite.optimize._sums`).
- Operators that move values, or that rise or fall with every one of their inputs, are run on the
  ends: the reference kernels themselves say what becomes of them.
- Functions of one int8 or int16 value are run on every value.
- Everything else can give all that its output's type holds.

All of it is done for products that are rounded twice and once, and the ranges hold for both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from arenite.model import Model, Subgraph, Tensor, TensorType
from arenite.optimize._intervals import (
    FOLLOWED,
    Interval,
    is_followed,
    of_values,
    whole_type,
)
from arenite.optimize._prepared import PreparedModel
from arenite.optimize._propagation import Propagation, Ranged
from arenite.target import HOST, Target

__all__ = ["Interval", "Ranges", "ranges_of"]

#: Firmware whose products are rounded twice, as usual, and once; with multipliers from floats and
#: without.
_BUILDS = tuple(
    Target("host", rounding=rounding, emulate_float=emulate_float)
    for rounding in ("double", "single")
    for emulate_float in (False, True)
)

Place = tuple[int, int]


@dataclass(frozen=True)
class Ranges:
    """The ranges of values; keys are ``(subgraph, tensor)`` and ``(subgraph, operator)``.

    Attributes:
        tensors: Values of int8 and int16 tensors by channel (the last axis), constants included,
            and of float inputs of which something was promised.
        accumulators: Sums of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED with their bias, by
            output channel, as integers that do not wrap: where they are beyond the
            accumulator's bits, so may the sums be.
    """

    tensors: Mapping[Place, Interval] = field(default_factory=dict)
    accumulators: Mapping[Place, Interval] = field(default_factory=dict)

    def constant_channels(self, subgraph: int, tensor: int) -> int:
        """The number of channels of a tensor that have one value only; 0 where nothing is known."""
        found = self.tensors.get((subgraph, tensor))
        return 0 if found is None else int(found.is_constant.sum())


def ranges_of(
    model: Model,
    declared: Mapping[str, tuple[float, float]] | None = None,
    prepared: PreparedModel | None = None,
) -> Ranges:
    """The ranges of a model's tensors and accumulators.

    Args:
        model: The model.
        declared: Least and largest real value of inputs, by name. Ranges hold for inputs within
            these only, whose quantised values are rounded to nearest.
        prepared: The model on this host, where it is at hand.

    Raises:
        ValueError: There is no input of a name, or its range is empty.
        AreniteError: The model cannot be prepared.
    """
    promised = _promises(model, declared or {})
    found = (
        _propagated(model, promised, prepared if target == HOST else None, target)
        for target in _BUILDS
    )
    return reduce(_joined, found)


def _joined(one: Ranges, other: Ranges) -> Ranges:
    """The hull of two."""
    return Ranges(
        {place: found.joined(other.tensors[place]) for place, found in one.tensors.items()},
        {
            place: found.joined(other.accumulators[place])
            for place, found in one.accumulators.items()
            if place in other.accumulators
        },
    )


def _propagated(
    model: Model, promised: Ranged, prepared: PreparedModel | None, target: Target
) -> Ranges:
    prepared = prepared or PreparedModel(model, target)
    tensors: dict[Place, Interval] = {}
    accumulators: dict[Place, Interval] = {}
    for number, subgraph in enumerate(model.subgraphs):
        known = _beginning(subgraph)
        if number == 0:
            known |= promised
        walk = Propagation(prepared, number, known)
        for operator in range(len(subgraph.operators)):
            walk.step(operator)
        tensors |= {(number, index): interval for index, interval in walk.known.items()}
        accumulators |= {(number, index): sums for index, sums in walk.accumulators.items()}
    return Ranges(tensors, accumulators)


def _beginning(subgraph: Subgraph) -> Ranged:
    """Constants have their values; all others may hold anything."""
    found = {}
    for index, tensor in enumerate(subgraph.tensors):
        if not is_followed(tensor):
            continue
        value = None if tensor.is_variable else tensor.value
        found[index] = whole_type(tensor) if value is None else of_values(value)
    return found


def _promises(model: Model, declared: Mapping[str, tuple[float, float]]) -> Ranged:
    """Ranges that the user promises of the main subgraph's inputs, in their own values."""
    inputs = {model.main.tensors[index].name: index for index in model.main.inputs}
    found: Ranged = {}
    for name, (low, high) in declared.items():
        if name not in inputs:
            raise ValueError(f"expected an input of {', '.join(inputs)}, got {name!r}")
        if not low <= high:
            raise ValueError(f"input {name!r}: expected a range, got {low} to {high}")
        index = inputs[name]
        interval = _promise(model.main.tensors[index], low, high)
        if interval is not None:
            found[index] = interval
    return found


def _promise(tensor: Tensor, low: float, high: float) -> Interval | None:
    """Real values as those of a tensor, rounded outwards; None where nothing follows."""
    shape = tensor.shape[-1:] or (1,)
    if tensor.type is TensorType.FLOAT32 and math.isfinite(low) and math.isfinite(high):
        return Interval(np.full(shape, float(low)), np.full(shape, float(high)))
    quantization = tensor.quantization
    if tensor.type not in FOLLOWED or quantization is None or len(quantization.scale) != 1:
        return None
    scale, info = float(quantization.scale[0]), np.iinfo(tensor.type.dtype)
    zero_point = int(quantization.zero_point[0]) if len(quantization.zero_point) else 0
    if not scale > 0 or not math.isfinite(scale):
        return None
    ends = (math.floor(_finite(low / scale)), math.ceil(_finite(high / scale)))
    first, last = (min(max(end + zero_point, info.min), info.max) for end in ends)
    return Interval(np.full(shape, first, np.int64), np.full(shape, last, np.int64))


def _finite(steps: float) -> float:
    return min(max(steps, -(2.0**40)), 2.0**40)
