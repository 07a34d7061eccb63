"""ESP-NN behind the interface of a library."""

from __future__ import annotations

from arenite.libraries.costs import Costs
from arenite.libraries.esp_nn.operators import glue_for
from arenite.libraries.library import Library
from arenite.libraries.path import Path
from arenite.memory.overlap import Order
from arenite.ops import Node, NodeView
from arenite.ops.shared import loop_order
from arenite.target import Target


def _order(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    """The reference's for generic C; of the chips' assembly nothing is known."""
    return loop_order.order_of(node, view, position) if target.instructions == "plain" else None


def _costs() -> Costs:
    from arenite.libraries.esp_nn.cost import estimate  # noqa: PLC0415 - a table to load

    return estimate.costs()


LIBRARY = Library(glue_for=glue_for, order_of=_order, costs=_costs)
