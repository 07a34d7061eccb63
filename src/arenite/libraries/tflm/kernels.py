"""TFLM's own kernels behind the interface of a library: nothing is replaced.

Their costs on a Cortex-M are those of the library that is usual there, as a firmware with it runs
them too.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.costs import Costs
from arenite.libraries.library import Library, library_called
from arenite.libraries.path import Path
from arenite.library_facts import usual_library
from arenite.memory.overlap import Order
from arenite.ops import Node, NodeView
from arenite.ops.shared import loop_order
from arenite.target import Target


def _no_glue(name: str, target: Target) -> None:
    """Every operator runs its reference."""


def _order(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    return loop_order.order_of(node, view, position)


def _costs() -> Costs:
    usual = usual_library("cortex-m")
    known = f"with {usual.title} for most"
    return replace(library_called(usual.name).costs(), complete=(), known=known)


LIBRARY = Library(glue_for=_no_glue, order_of=_order, costs=_costs)
