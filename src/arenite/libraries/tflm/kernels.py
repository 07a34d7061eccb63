"""TFLM's own kernels behind the interface of a library: nothing is replaced.

Their costs on a Cortex-M were measured with those of the library that is usual there, in the same
tables, since a firmware with it runs them too.
"""

from __future__ import annotations

from arenite.libraries.costs import Costs
from arenite.libraries.library import Library
from arenite.libraries.path import Path
from arenite.memory.overlap import Order
from arenite.ops import Node
from arenite.ops.constraints import NodeView
from arenite.ops.shared import loop_order
from arenite.target import Target


def _no_glue(name: str, target: Target) -> None:
    """Every operator runs its reference."""


def _order(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    return loop_order.order_of(node, view, position)


def _costs() -> Costs:
    from arenite.libraries.cmsis_nn.cost import known  # noqa: PLC0415 - tables to load

    return known.costs(is_library=False, words="with CMSIS-NN for most")


LIBRARY = Library(glue_for=_no_glue, order_of=_order, costs=_costs)
