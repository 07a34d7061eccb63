"""CMSIS-NN behind the interface of a library."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from arenite.libraries.cmsis_nn.decisions.before import as_then
from arenite.libraries.cmsis_nn.operators import glue_for
from arenite.libraries.costs import Costs
from arenite.libraries.glue import Glue
from arenite.libraries.library import Library, Walker
from arenite.libraries.path import Path
from arenite.memory.overlap import Order
from arenite.ops import Node, NodeView
from arenite.target import Target


def _glue(name: str, target: Target) -> Glue | None:
    glue = glue_for(name)
    return glue if glue is None or not target.tflm else as_then(glue, name, target)


def _order(node: Node, view: NodeView, position: int, path: Path, target: Target) -> Order | None:
    from arenite.libraries.cmsis_nn import loop_order  # noqa: PLC0415 - few models need it

    return loop_order.order_of(node, view, position, path, target)


def _costs() -> Costs:
    from arenite.libraries.cmsis_nn.cost.known import COSTS  # noqa: PLC0415 - tables to load

    return COSTS


@cache
def _code_sizes() -> dict[str, dict[str, int]]:
    """Sizes as ``tools/measure_code.py`` measured them."""
    text = files(__package__).joinpath("code_sizes.csv").read_text("utf-8")
    found: dict[str, dict[str, int]] = {}
    for row in csv.DictReader(text.splitlines()):
        for core, size in row.items():
            if core != "method" and size:
                found.setdefault(core, {})[row["method"]] = int(size)
    return found


def _walker() -> Walker:
    from arenite.libraries.cmsis_nn.walk import walk_of  # noqa: PLC0415 - explain alone needs it

    return walk_of


def _dilates(target: Target) -> bool:
    """``arm_convolve_s8`` copies pixels two by two, where 1x1 filters go through the image.

    With vectors both take four rows at a time.
    """
    return target.instructions != "mve"


LIBRARY = Library(
    glue_for=_glue,
    order_of=_order,
    costs=_costs,
    walker=_walker,
    dilates=_dilates,
    code_sizes=_code_sizes,
)
