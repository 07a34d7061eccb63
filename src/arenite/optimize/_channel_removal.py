"""The channels of a subgraph that go: as many as can, with what is left in round numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from arenite.model import Subgraph
from arenite.ops.context import Array
from arenite.ops.registry import traits_of
from arenite.optimize._channel_folding import Layer
from arenite.optimize._channel_groups import Groups
from arenite.optimize._intervals import Interval

#: Fewer channels than this are never left: weights with one scale mean something else than those
#: with a scale per channel.
LEAST = 2


class Removal(NamedTuple):
    """Groups of channels to remove.

    Attributes:
        gone: Whether a group of channels goes, by group.
        why: What keeps a group that neither an operator nor the border keeps, by group.
    """

    gone: Array
    why: dict[int, str]


def removal(
    groups: Groups,
    layers: list[Layer],
    inputs: Mapping[int, Interval],
    subgraph: Subgraph,
    multiple: int,
) -> Removal:
    """The largest removal that leaves every bias in its type and multiples of ``multiple``.

    ``inputs`` are the values of the layers' input channels without zero points, by operator.
    """
    stays = groups.stays.copy()
    why: dict[int, str] = {}
    while True:
        gone = _removable(groups, layers, inputs, stays)
        found = {**_beyond(groups, layers, inputs, gone), **_odd(groups, subgraph, gone, multiple)}
        if not found:
            return Removal(gone, why)
        why |= found
        stays[list(found)] = True


def _removable(
    groups: Groups, layers: list[Layer], inputs: Mapping[int, Interval], stays: Array
) -> Array:
    """Groups that no layer needs. Each is found with those before it gone, until there are none."""
    gone = np.zeros(len(stays), bool)
    while True:
        candidates = ~stays
        for layer in layers:
            filters = ~gone[groups.of[layer.y]]
            needed = ~layer.can_go(inputs[layer.operator], filters)
            candidates[groups.of[layer.x][needed]] = False
        if (candidates == gone).all():
            return gone
        gone = candidates


def _beyond(
    groups: Groups, layers: list[Layer], inputs: Mapping[int, Interval], gone: Array
) -> dict[int, str]:
    """Groups that would take a bias beyond its type."""
    found: dict[int, str] = {}
    for layer in layers:
        of_x, filters = groups.of[layer.x], ~gone[groups.of[layer.y]]
        too_much = layer.too_much(inputs[layer.operator], gone[of_x], filters)
        found |= dict.fromkeys(
            of_x[too_much].tolist(), f"operators[{layer.operator}]: the bias would overflow"
        )
    return found


def _odd(groups: Groups, subgraph: Subgraph, gone: Array, multiple: int) -> dict[int, str]:
    """Groups that stay so that layers have round numbers of channels."""
    found = {}
    for _, tensor in layer_outputs(subgraph):
        of = groups.of.get(tensor)
        if of is None:
            continue
        going = gone[of]
        left = len(of) - int(going.sum())
        wanted = min(len(of), max(LEAST, -(-left // multiple) * multiple))
        reason = f"channels are left in multiples of {multiple}"
        if wanted == LEAST:
            reason = f"at least {LEAST} channels are left"
        for group in of[going][: wanted - left].tolist():
            found[group] = reason
    return found


def layer_outputs(subgraph: Subgraph) -> Iterator[tuple[int, int]]:
    """Operators that compute channels from weights, and their outputs."""
    for index, operator in enumerate(subgraph.operators):
        if traits_of(operator.name).values == "sums":
            yield index, operator.outputs[0]
