"""The limit of a verification that follows a model's loops, which may have no end.

Counted in calls of subgraphs, not in time, so that the same file gives the same result everywhere;
fewer where the subgraphs have much to do.
"""

from __future__ import annotations

from math import prod

from arenite.model import Model, Operator, Subgraph
from arenite.ops.registry import traits_of
from arenite.runtime.call_budget import CallBudget

#: What all calls of one verification may take. A unit is an operator on few elements, some 15
#: microseconds of the NumPy kernels; they go through as many elements or products in that time.
MOST_WORK = 1_000_000
_ELEMENTS, _PRODUCTS = 1_000, 10_000


def call_budget(model: Model) -> CallBudget:
    """Calls of subgraphs for one verification of a model, both models and all ways together."""
    heaviest = max(map(_work, model.subgraphs[1:]), default=0)
    return CallBudget(MOST_WORK // max(heaviest, 1))


def _work(subgraph: Subgraph) -> int:
    return 1 + sum(_work_of(operator, subgraph) for operator in subgraph.operators)


def _work_of(operator: Operator, subgraph: Subgraph) -> int:
    used = [subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0]
    sizes = [prod(tensor.shape) for tensor in used]
    work = 1 + max(sum(sizes), 0) // _ELEMENTS
    has_products = traits_of(operator.name).values == "sums" or operator.name == "TRANSPOSE_CONV"
    if not has_products or len(used) < 3:
        return work
    # As many products for every output as a filter has weights, where their last axis has one each.
    weights = sizes[1] // max(used[-1].shape[-1], 1) if used[-1].shape else sizes[1]
    return work + max(sizes[-1] * weights, 0) // _PRODUCTS
