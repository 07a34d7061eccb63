"""Cycles of an inference on a target, where they are known: to choose between models."""

from __future__ import annotations

from arenite.libraries.glue import OpData
from arenite.libraries.library import library_of, resolver_for
from arenite.model import Model
from arenite.ops.constraints import view_of
from arenite.optimize._prepared import AnyOperator, QuietHeap
from arenite.runtime.graph import Graph
from arenite.runtime.lifecycle import Life
from arenite.target import Target


def has_costs(target: Target | None) -> bool:
    """Whether the costs of nearly all of a target's kernels are known."""
    return target is not None and target.processor in library_of(target).costs().complete


def cycles_of(model: Model, target: Target) -> int:
    """Cycles of all operators whose kernels are modelled, each once.

    Raises:
        AreniteError: A node cannot be prepared for the target.
        ValueError: The target's costs are not known.
    """
    context = QuietHeap(model, target)
    graph = Graph(model, context)
    graph.resolve(resolver_for(AnyOperator(), target))
    life = Life(graph)
    life.prepare()
    total, cost_of = 0, library_of(target).costs().cost_of
    for number, entries in enumerate(graph.nodes):
        for index, entry in enumerate(entries):
            context.enter_node(number, index)
            data = entry.node.user_data
            path = data.path if isinstance(data, OpData) else None
            cost = cost_of(view_of(context, entry.node), path, target)
            total += 0 if cost is None else cost.cycles
    life.free()
    return total
