"""The time of an inference, as a range that boards keep; and the energy of it.

An estimate counts cycles for memory that never makes the processor wait. Flash does, and so the
upper end is what published boards took beyond the estimate: :attr:`arenite.cores.Accuracy.boards`.
"""

from __future__ import annotations

from typing import NamedTuple

from arenite.analysis.device import device_operators
from arenite.analysis.model_cost import model_cost, why_incomplete
from arenite.analysis.needs import Need
from arenite.analysis.statistics import statistics
from arenite.boards import Board
from arenite.cores import CORES, PRODUCTS_PER_CYCLE, Accuracy
from arenite.libraries.library import library_of
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
    """The time of an inference, in milliseconds.

    Args:
        model: The model.
        target: Its firmware.
        clock: In MHz; without one nothing is known.
        limit: In milliseconds.
        margin: By what share it may be off, instead of what is known of the processor.
        board: The board, whose flash may be known.
    """
    if clock is None:
        return Need("time", "ms", {}, limit, "not known without a clock", is_known=False)
    accuracy = CORES[target.processor].accuracy
    if accuracy is None:
        return _bound(model, target, clock, limit)
    cost = model_cost(model, target, clock)
    parts = {"inference": cost.cycles / clock / 1000}
    low, high = _margins(accuracy, board, clock) if margin is None else (-margin, margin)
    least = parts["inference"] * max(1 + low, 0)
    reason = why_incomplete(cost)
    if reason is not None:
        return Need("time", "ms", parts, limit, f"at least: {reason}", is_known=False, low=least)
    share = f"{abs(low):.0%}"
    begins = "up to" if share == "0%" else f"{share} {'more' if low > 0 else 'less'} to"
    note = f"an estimate, {begins} {high:.0%} more"
    if margin is None:
        note += f": {accuracy.why}"
    return Need("time", "ms", parts, limit, note, low=least, high=parts["inference"] * (1 + high))


def _margins(accuracy: Accuracy, board: Board | None, clock: float) -> tuple[float, float]:
    """Shares that an inference takes more at least (less if negative) and at most.

    Where flash makes published boards wait, theirs; by its waits where it waits for less.
    """
    waits = board.waits.cycles if board and board.waits and clock == board.clock else 0
    if not 0 < waits <= accuracy.waits:
        return -accuracy.cycles, accuracy.boards
    share, error = waits / accuracy.waits, accuracy.cycles
    return share * (accuracy.least + error) - error, share * (accuracy.boards - error) + error


def _bound(model: Model, target: Target, clock: float, limit: float | None) -> Need:
    """Time of published layers of the same kinds; else of the products, which nothing undercuts."""
    products = sum(one.macs or 0 for one in statistics(model).operators if one.subgraph == 0)
    if not products:
        note = f"costs on {target.processor} are not known"
        return Need("time", "ms", {}, limit, note, is_known=False)
    if (span := _span(model, target)) is not None:
        least, most = (cycles / clock / 1000 for cycles in span)
        note = "by what was published of single layers; costs were not measured"
        parts = {"inference": (least + most) / 2}
        return Need("time", "ms", parts, limit, note, low=least, high=most)
    pace = PRODUCTS_PER_CYCLE[target.instructions]
    note = (
        f"costs on {target.processor} are not known: its {products:,} products take so long at "
        f"{pace} a cycle, and everything else comes on top"
    )
    return Need(
        "time", "ms", {"products": products / pace / clock / 1000}, limit, note, is_known=False
    )


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
    if not time.is_known or not time.parts:
        return None
    least, most = board.energy.picojoules
    cycles = [ms * clock * 1000 for ms in (time.least, time.most)]
    return Energy(cycles[0] * least / 1e6, cycles[1] * most / 1e6, board.energy.source)
