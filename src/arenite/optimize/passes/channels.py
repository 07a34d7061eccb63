"""Channels whose values never change are folded into the next layer, and go.

Converters leave such channels behind: a large negative bias in front of a ReLU, a scale so small
that every output is the same. What the channel adds to the layer that reads it is added to that
layer's bias (:mod:`arenite.optimize._channel_folding`); its filter, its share of every operator
in between, scales and biases go. So do channels that no layer reads, their weights being 0.
``docs/optimize.md`` has the argument.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arenite.errors import AreniteError
from arenite.model import Model, Subgraph
from arenite.ops.shared.convolution import ConvolutionParams
from arenite.optimize._channel_edit import Edit
from arenite.optimize._channel_folding import Layer
from arenite.optimize._channel_groups import Groups
from arenite.optimize._channel_links import Links
from arenite.optimize._channel_notes import notes_of
from arenite.optimize._channel_removal import removal
from arenite.optimize._cycles import cycles_of, has_costs
from arenite.optimize._intervals import Interval
from arenite.optimize._prepared import PreparedModel
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.ranges import Ranges, ranges_of
from arenite.optimize.rewrite import why_fixed
from arenite.optimize.settings import Settings
from arenite.target import Target

#: CMSIS-NN's kernels take four bytes at a time: what is left over may cost more than a channel.
MULTIPLE = 4
#: What is tried where costs are known. Odd numbers of int16 filters CMSIS-NN may read behind
#: (:mod:`arenite.libraries.cmsis_nn.decisions.undefined`).
MULTIPLES = (2, 4, 8, 16)


def channels(model: Model, settings: Settings, multiple: int | None = None) -> Outcome:
    """Take away channels that never change and channels that nobody reads.

    Layers keep a multiple of ``multiple`` channels; None takes the multiple with which the model
    needs the fewest cycles on the target, 4 where these are not known.
    """
    fixed = why_fixed(model)
    if fixed:
        return Outcome(model, declined=(Note("$", fixed),))
    prepared = PreparedModel(model)
    ranges = ranges_of(model, settings.ranges, prepared)
    parts = [_Part.of(prepared, ranges, number) for number in range(len(model.subgraphs))]
    if multiple is not None:
        return _without(model, parts, multiple)
    if settings.target is None or not has_costs(settings.target):
        return _without(model, parts, MULTIPLE)
    return _fastest(model, parts, settings.target)


def _fastest(model: Model, parts: list[_Part], target: Target) -> Outcome:
    """The outcome with the fewest cycles; of equal ones that with the fewest channels."""
    found = [_without(model, parts, multiple) for multiple in MULTIPLES]
    try:
        before = cycles_of(model, target)
        cycles = [cycles_of(outcome.model, target) for outcome in found]
    except AreniteError:
        return found[MULTIPLES.index(MULTIPLE)]
    best = cycles.index(min(cycles))
    if cycles[best] <= before:
        return found[best]
    where = f"with fewer channels {target.processor} would need more cycles"
    return Outcome(model, declined=(*found[best].declined, Note("$", where)))


def _without(model: Model, parts: list[_Part], multiple: int) -> Outcome:
    """The model without what can go, in multiples; itself where the rest cannot be prepared."""
    subgraphs: list[Subgraph] = []
    changes: list[Note] = []
    declined: list[Note] = []
    for part in parts:
        subgraph, some, others = part.without(multiple)
        subgraphs.append(subgraph)
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


@dataclass(frozen=True, eq=False)
class _Part:
    """A subgraph and what is known of its channels; ``inputs`` have no zero points."""

    prepared: PreparedModel
    number: int
    ranges: Ranges
    groups: Groups
    layers: dict[int, Layer]
    inputs: dict[int, Interval]

    @classmethod
    def of(cls, prepared: PreparedModel, ranges: Ranges, number: int) -> _Part:
        """Look at a subgraph."""
        links = Links(prepared, number)
        inputs = {}
        for layer in links.layers:
            node = prepared.node(number, layer.operator)
            assert node is not None  # a layer has its parameters from there
            params: ConvolutionParams = node.params
            offset = params.input_offset
            low, high = ranges.tensors[number, layer.x]
            inputs[layer.operator] = Interval(low + offset, high + offset)
        layers = {layer.operator: layer for layer in links.layers}
        return cls(prepared, number, ranges, links.channels.groups(), layers, inputs)

    def without(self, multiple: int) -> tuple[Subgraph, list[Note], list[Note]]:
        """The subgraph without channels, what was done, and what was not."""
        subgraph, groups = self.prepared.model.subgraphs[self.number], self.groups
        found = removal(groups, list(self.layers.values()), self.inputs, subgraph, multiple)
        changes, declined = notes_of(self.number, subgraph, groups, found, self.ranges)
        if not found.gone.any():
            return subgraph, [], declined
        left = {index: ~found.gone[of] for index, of in groups.of.items() if found.gone[of].any()}
        edit = Edit(self.prepared, self.number, left, _seen(self.prepared.model, self.number))
        return edit.run(self.layers, self.inputs), changes, declined


def _seen(model: Model, number: int) -> set[int]:
    """Tensors that something else than operators refers to."""
    subgraph = model.subgraphs[number]
    found = {*subgraph.inputs, *subgraph.outputs}
    for signature in model.signatures:
        if signature.subgraph == number:
            found.update(signature.inputs.values(), signature.outputs.values())
    return found
