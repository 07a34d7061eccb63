"""A model's operators as firmware runs them: paths, scratch memory, loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arenite.analysis.statistics import OperatorStatistics, statistics
from arenite.libraries.costs import Loop
from arenite.libraries.glue import OpData
from arenite.libraries.library import library_of, resolver_for
from arenite.libraries.path import Path, Scratch
from arenite.model import Model
from arenite.ops import Node, builtin, only_mnn_has, resolver_of
from arenite.ops.constraints import NodeView, view_of
from arenite.ops.tflm_names import add_method
from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.lifecycle import Life
from arenite.target import Target

#: What is said of operators that no library does the work of.
OWN_KERNEL = "TFLM's own kernel"
#: What is said of operators that TFLM does not have, as those of .mnn files.
NO_KERNEL = "not in TFLM"


@dataclass(frozen=True)
class DeviceOperator:
    """One operator on a target.

    Attributes:
        index: Its place in the subgraph.
        view: The operator with its tensors.
        params: What its ``prepare`` left for the kernel.
        path: Where its work goes; None where the library has no kernel.
        scratch: Its scratch buffers; those of TFLM's own kernels are not listed.
        macs: Multiply-accumulates, None if unknown.
        loops: Its loops, None where there is no model of them.
        subgraph: Number of its subgraph.
    """

    index: int
    view: NodeView
    params: Any
    path: Path | None
    scratch: tuple[Scratch, ...]
    macs: int | None
    loops: tuple[Loop, ...] | None
    subgraph: int = 0

    @property
    def place(self) -> str:
        """Its number, behind that of its subgraph unless that is the main one."""
        return f"{self.subgraph}.{self.index}" if self.subgraph else str(self.index)

    @property
    def function(self) -> str:
        """Function that does the work, in words where that is not the library's."""
        if self.path is not None and self.calls_library:
            return self.path.function
        return OWN_KERNEL if self.in_tflm else NO_KERNEL

    @property
    def calls_library(self) -> bool:
        """Whether the library does the work."""
        return self.path is not None and self.path.is_library

    @property
    def in_tflm(self) -> bool:
        """Whether TFLM has such an operator: builtin, or a custom one of its own."""
        name = self.view.name
        return add_method(name) is not None or (
            builtin(name) is not None and not only_mnn_has(name)
        )


def device_operators(model: Model, target: Target) -> list[DeviceOperator]:
    """The operators of all subgraphs, as built for ``target``; those of the main one come first.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    context = HeapContext(model, target=target)
    graph = Graph(model, context)
    graph.resolve(resolver_for(resolver_of(model), target))
    life = Life(graph)
    life.prepare()
    operators = []
    for place in statistics(model).operators:
        context.enter_node(place.subgraph, place.index)
        node = graph.entry(place.index, place.subgraph).node
        operators.append(_operator(place, view_of(context, node), node, target))
    life.free()
    return operators


def _operator(
    place: OperatorStatistics, view: NodeView, node: Node, target: Target
) -> DeviceOperator:
    path = node.user_data.path if isinstance(node.user_data, OpData) else None
    loops = library_of(target).costs().loops_of(view, path, target)
    return DeviceOperator(
        index=place.index,
        view=view,
        params=node.params,
        path=path,
        scratch=() if path is None else path.scratch,
        macs=place.macs,
        loops=None if loops is None else tuple(loops),
        subgraph=place.subgraph,
    )
