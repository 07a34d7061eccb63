"""Two operators in a row that are one function of an element: ``x * LOGISTIC(x)``.

Trained networks have such an activation (SiLU, swish) behind every convolution, and the format has
no operator for it. A native program goes over its input once, with the operators' own kernels: of
int8 it computes all 256 results before and looks them up, of float32 it takes both on one block
after the other. What lies between is written by nobody then, so nobody else may need it.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import NamedTuple

from arenite.runtime.graph import Graph

#: The native kernels of both operators.
FIRST, SECOND = "LOGISTIC", "MUL"


class Pair(NamedTuple):
    """Tensors of the second operator by index, and which of its two inputs the first one makes."""

    output: int
    given: int
    reads_first: tuple[bool, bool]


class Pairs:
    """The pairs of a graph whose memory is planned."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._readers: dict[int, Counter[int]] = {}

    def ending_at(self, subgraph: int, number: int) -> Pair | None:
        """A node, whose native kernel is :data:`SECOND`, and the one before it, if they are one."""
        graph = self._graph
        if not number or graph.host.shows_all_tensors:
            return None
        nodes = graph.nodes[subgraph]
        first, second = nodes[number - 1], nodes[number].node
        if first.registration.kernel_for(first.node) != FIRST:
            return None
        (given,), (made,) = first.node.inputs, first.node.outputs
        left, right = second.inputs
        if {left, right} != {given, made} or self._is_needed_elsewhere(subgraph, made):
            return None
        return Pair(second.outputs[0], given, (left == made, right == made))

    def _is_needed_elsewhere(self, subgraph: int, index: int) -> bool:
        """Whether more than one operator reads a tensor, or it outlives the subgraph's run."""
        whole = self._graph.model.subgraphs[subgraph]
        readers = self._readers.get(subgraph)
        if readers is None:  # counted once: large models have hundreds of pairs
            inputs = chain.from_iterable(one.inputs for one in whole.operators)
            readers = self._readers[subgraph] = Counter(inputs)
        is_kept = index in whole.outputs or whole.tensors[index].is_variable
        return is_kept or readers[index] > 1
