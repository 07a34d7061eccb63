"""The time of an inference, as a range that boards keep; and the energy of it.

:mod:`arenite.analysis.time_range` turns cycles into it.
"""

from __future__ import annotations

from typing import NamedTuple

from arenite.analysis.device import device_operators
from arenite.analysis.model_cost import model_cost
from arenite.analysis.needs import Need, amount
from arenite.analysis.statistics import statistics
from arenite.analysis.time_range import need_between, unknown_time
from arenite.boards import Board
from arenite.cores import CORES, PRODUCTS_PER_CYCLE
from arenite.libraries.library import library_of, why_no_costs
from arenite.model import Model
from arenite.ops.registry import traits_of
from arenite.target import Target


class Energy(NamedTuple):
    """Energy of an inference: microjoules, at least and at most, and whose figure it is."""

    low: float
    high: float
    source: str


def time_of(
    model: Model,
    target: Target,
    clock: float | None,
    *,
    limit: float | None = None,
    margin: float | None = None,
    board: Board | None = None,
) -> Need:
    """The time of an inference, in milliseconds; every command shows this one.

    Args:
        model: The model.
        target: Its firmware.
        clock: In MHz; without one nothing is known.
        limit: In milliseconds.
        margin: By what share it may be off, instead of what is known of the processor.
        board: The board, whose flash may be known.
    """
    if clock is None:
        return unknown_time(limit, "not known without a clock")
    if CORES[target.processor].accuracy is None or why_no_costs(target):
        return _published(model, target, clock, limit)
    return model_cost(model, target, clock, board).time(limit, margin)


def _published(model: Model, target: Target, clock: float, limit: float | None) -> Need:
    """Time by published layers of the same kinds; else a bound by its products alone."""
    products = sum(one.macs or 0 for one in statistics(model).operators if one.subgraph == 0)
    if not products:
        return unknown_time(limit, f"costs on {target.processor} are not known")
    if (span := _span(model, target)) is not None:
        least, most = (cycles / clock / 1000 for cycles in span)
        note = "by what was published of single layers; costs were not measured"
        return need_between(least, most, limit, note)
    pace = PRODUCTS_PER_CYCLE[target.instructions]
    bound = products / pace / clock / 1000
    note = (
        f"costs on {target.processor} are not known. Its {products:,} products alone take "
        f"{amount(bound, 'ms')}, at {pace} a cycle: a bound, no estimate"
    )
    return unknown_time(limit, note, bound)


def _span(model: Model, target: Target) -> tuple[float, float] | None:
    """Cycles of an inference at least and at most, if something is known of all operators."""
    costs = library_of(target).costs()
    operators = [one for one in device_operators(model, target) if one.subgraph == 0]
    inside = [one for one in operators if not traits_of(one.view.name).runs_once]
    spans = [costs.span_of(one.view, one.path, target, one.macs or 0) for one in inside]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return sum(least for least, _ in known), sum(most for _, most in known)


def energy_of(board: Board | None, time: Need, clock: float | None) -> Energy | None:
    """Energy of an inference: cycles by what a cycle takes; None where either is not known."""
    if board is None or board.energy is None or clock is None:
        return None
    if time.least is None or time.most is None:
        return None
    least, most = board.energy.picojoules
    cycles = [ms * clock * 1000 for ms in (time.least, time.most)]
    return Energy(cycles[0] * least / 1e6, cycles[1] * most / 1e6, board.energy.source)
