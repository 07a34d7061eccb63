"""Channels whose values never change are folded into the next layer, and go.

Converters leave such channels behind: a large negative bias in front of a ReLU, a scale so small
that every output is the same. What the channel adds to the layer that reads it is added to that
layer's bias (:mod:`arenite.optimize._channel_folding`); its filter, its share of every operator
in between, scales and biases go. So do channels that no layer reads, their weights being 0.
``docs/optimize.md`` has the argument.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.errors import AreniteError
from arenite.memory.liveness import OFFLINE_METADATA
from arenite.model import Model, Subgraph
from arenite.optimize._channel_edit import Edit
from arenite.optimize._channel_folding import Layer
from arenite.optimize._channel_links import Links
from arenite.optimize._channel_notes import notes_of
from arenite.optimize._channel_removal import removal
from arenite.optimize._intervals import Interval
from arenite.optimize._prepared import PreparedModel
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.ranges import Ranges, ranges_of
from arenite.optimize.settings import Settings

#: CMSIS-NN's kernels take four bytes at a time; what is left over costs more than a channel.
MULTIPLE = 4
_HAS_PLAN = f"the file has a memory plan ({OFFLINE_METADATA}) for the tensors that it has"


def channels(model: Model, settings: Settings) -> Outcome:
    """Take away channels that never change and channels that nobody reads."""
    if OFFLINE_METADATA in model.metadata:
        return Outcome(model, declined=(Note("$", _HAS_PLAN),))
    prepared = PreparedModel(model)
    ranges = ranges_of(model, settings.ranges, prepared)
    subgraphs, changes, declined = list(model.subgraphs), [], []
    for number in range(len(subgraphs)):
        found, some, others = _subgraph(prepared, ranges, number)
        subgraphs[number] = found
        changes += some
        declined += others
    if not changes:
        return Outcome(model, declined=tuple(declined))
    smaller = replace(model, subgraphs=tuple(subgraphs))
    try:
        PreparedModel(smaller)
    except AreniteError as error:
        return Outcome(model, declined=(*declined, Note("$", f"without channels: {error}")))
    return Outcome(smaller, tuple(changes), tuple(declined))


def _subgraph(
    prepared: PreparedModel, ranges: Ranges, number: int
) -> tuple[Subgraph, list[Note], list[Note]]:
    """One subgraph without channels, what was done, and what was not."""
    subgraph = prepared.model.subgraphs[number]
    links = Links(prepared, number)
    inputs = {
        layer.operator: _without_offset(prepared, ranges, number, layer) for layer in links.layers
    }
    groups = links.channels.groups()
    found = removal(groups, links.layers, inputs, subgraph, MULTIPLE)
    changes, declined = notes_of(number, subgraph, groups, found, ranges)
    if not found.gone.any():
        return subgraph, [], declined
    left = {index: ~found.gone[of] for index, of in groups.of.items() if found.gone[of].any()}
    layers = {layer.operator: layer for layer in links.layers}
    edit = Edit(prepared, number, left, _seen(prepared.model, number))
    return edit.run(layers, inputs), changes, declined


def _without_offset(prepared: PreparedModel, ranges: Ranges, number: int, layer: Layer) -> Interval:
    node = prepared.node(number, layer.operator)
    assert node is not None
    low, high = ranges.tensors[number, layer.x]
    offset = node.params.input_offset
    return Interval(low + offset, high + offset)


def _seen(model: Model, number: int) -> set[int]:
    """Tensors that something else than operators refers to."""
    subgraph = model.subgraphs[number]
    found = {*subgraph.inputs, *subgraph.outputs}
    for signature in model.signatures:
        if signature.subgraph == number:
            found.update(signature.inputs.values(), signature.outputs.values())
    return found
