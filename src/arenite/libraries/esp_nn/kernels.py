"""ESP-NN behind the interface of a library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from arenite.libraries.costs import Costs, Loop
from arenite.libraries.esp_nn.operators import glue_for
from arenite.libraries.library import Library
from arenite.libraries.path import Path
from arenite.memory.overlap import Order
from arenite.ops import Node
from arenite.ops.constraints import NodeView
from arenite.ops.shared import loop_order
from arenite.target import Target


def _order(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    """The reference's for generic C; of the chips' assembly nothing is known."""
    return loop_order.order_of(node, view, position) if target.instructions == "plain" else None


def _unknown(view: NodeView, *more: object) -> None:
    """No kernel's time was measured."""


def _no_counts(loops: Iterable[Loop], target: Target) -> Counter[str]:
    return Counter()


def _costs() -> Costs:
    return Costs(
        processors=(),
        complete=(),
        known="of no kernel",
        loops_of=_unknown,
        cost_of=_unknown,
        error_of=_unknown,
        instruction_counts=_no_counts,
    )


LIBRARY = Library(glue_for=glue_for, order_of=_order, costs=_costs)
