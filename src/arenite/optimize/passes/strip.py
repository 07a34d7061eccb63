"""Strip: names and descriptions go, which no kernel reads."""

from __future__ import annotations

from dataclasses import replace

from arenite.model import Model, Subgraph, Tensor
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.settings import Settings


def strip(model: Model, settings: Settings) -> Outcome:
    """Take away names of tensors and subgraphs, the description, and what a converter saw.

    Signatures keep the names of inputs and outputs; variables and custom operators have theirs
    in options. Nothing is done where the settings do not ask for it.
    """
    if not settings.strip:
        return Outcome(model)
    stripped = replace(model, description="", subgraphs=tuple(map(_without_names, model.subgraphs)))
    count = sum(bool(t.name) for subgraph in model.subgraphs for t in subgraph.tensors)
    return Outcome(stripped, (Note("$", f"{count} names of tensors taken away"),))


def _without_names(subgraph: Subgraph) -> Subgraph:
    return replace(subgraph, name="", tensors=tuple(map(_without_name, subgraph.tensors)))


def _without_name(tensor: Tensor) -> Tensor:
    quantization = tensor.quantization
    if quantization is not None:
        quantization = replace(quantization, min=None, max=None)
    return replace(tensor, name="", quantization=quantization)
