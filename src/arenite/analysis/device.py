"""A model's operators as firmware with CMSIS-NN runs them: paths, scratch memory, loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arenite.analysis.statistics import statistics
from arenite.cmsis_nn.cost.loops import Loop, loops_of
from arenite.cmsis_nn.decisions.path import Path, Scratch
from arenite.cmsis_nn.glue import OpData
from arenite.cmsis_nn.resolver import CmsisNnResolver
from arenite.model import Model
from arenite.ops import AllOpsResolver, Node
from arenite.ops.constraints import NodeView, view_of
from arenite.ops.tflm_names import add_method
from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.life import Life
from arenite.target import Target

#: What is said of operators that TFLM has no CMSIS-NN kernel for.
OWN_KERNEL = "TFLM's own kernel"
#: What is said of operators that TFLM does not have, as those of .mnn files.
NO_KERNEL = "not in TFLM"


@dataclass(frozen=True)
class DeviceOperator:
    """One operator of the main subgraph on a target.

    Attributes:
        index: Its place in the subgraph.
        view: The operator with its tensors.
        params: What its ``prepare`` left for the kernel.
        path: Where its work goes; None where TFLM has no CMSIS-NN kernel.
        scratch: Its scratch buffers; those of TFLM's own kernels are not listed.
        macs: Multiply-accumulates, None if unknown.
        loops: Its loops, None where there is no model of them.
    """

    index: int
    view: NodeView
    params: Any
    path: Path | None
    scratch: tuple[Scratch, ...]
    macs: int | None
    loops: tuple[Loop, ...] | None

    @property
    def function(self) -> str:
        """What does the work, in words where that is not CMSIS-NN."""
        if self.path is not None and self.calls_cmsis_nn:
            return self.path.function
        return OWN_KERNEL if self.in_tflm else NO_KERNEL

    @property
    def calls_cmsis_nn(self) -> bool:
        """Whether CMSIS-NN does the work."""
        return self.path is not None and self.path.is_cmsis_nn

    @property
    def in_tflm(self) -> bool:
        """Whether TFLM has such an operator."""
        return add_method(self.view.name) is not None


def device_operators(model: Model, target: Target) -> list[DeviceOperator]:
    """The operators of the main subgraph, as built for ``target``.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    context = HeapContext(model)
    graph = Graph(model, context)
    graph.resolve(CmsisNnResolver(AllOpsResolver(), target))
    life = Life(graph)
    life.prepare()
    context.enter_node(0, 0)
    nodes = [entry.node for entry in graph.nodes[0]]
    macs = [op.macs for op in statistics(model).operators if op.subgraph == 0]
    operators = [
        _operator(index, view_of(context, node), node, target, count)
        for index, (node, count) in enumerate(zip(nodes, macs, strict=True))
    ]
    life.free()
    return operators


def _operator(
    index: int, view: NodeView, node: Node, target: Target, macs: int | None
) -> DeviceOperator:
    path = node.user_data.path if isinstance(node.user_data, OpData) else None
    loops = loops_of(view, path, target)
    return DeviceOperator(
        index=index,
        view=view,
        params=node.params,
        path=path,
        scratch=() if path is None else path.scratch,
        macs=macs,
        loops=None if loops is None else tuple(loops),
    )
