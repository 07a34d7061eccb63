"""The cost of an inference: an estimate, operator by operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from arenite.analysis.device import DeviceOperator, device_operators
from arenite.analysis.needs import Need, amount
from arenite.analysis.time_range import (
    Running,
    Span,
    need_of_cycles,
    span_of,
    unknown_time,
    with_stalls,
)
from arenite.boards import Board
from arenite.callable_modules import html_of
from arenite.cores import CORES, DEFAULT, Accuracy
from arenite.formats import Source, model_of
from arenite.libraries.costs import Cost, Error, Line
from arenite.libraries.library import library_of, why_no_costs
from arenite.model import Model, TensorType
from arenite.model.calls import calls_of
from arenite.ops.registry import traits_of
from arenite.options import instance, optional, real, takes
from arenite.target import Target, find_target

#: How many times the cycles of -O2 a level takes at most, of kernels that were measured with both.
_SLOWER = {"Os": 1.6, "Og": 1.6}


class Body(NamedTuple):
    """One pass of a subgraph that others call: of its operators that have an estimate."""

    subgraph: int
    instructions: int
    cycles: int
    complete: bool


@dataclass(frozen=True)
class ModelCost:
    """The estimate for a model's main subgraph; ``clock`` is in MHz, None if none was said.

    Cycles are those of computing, for memory that never makes the processor wait. Milliseconds
    have waits in them, as the middle of the range that the device is known to take.

    Operators that do their work in the first inference alone (:attr:`once`) are not in it.
    ``has_calls``: it calls other subgraphs, which are not in it: how often they run is known at
    run time only. ``bodies`` say what each takes once.
    """

    file: str
    target: Target
    clock: float | None
    operators: tuple[DeviceOperator, ...]
    costs: tuple[Cost | None, ...]
    errors: tuple[Error | None, ...] = ()
    has_calls: bool = False
    bodies: tuple[Body, ...] = ()
    board: Board | None = None

    _repr_html_ = html_of

    @property
    def instructions(self) -> int:
        """Sum over all operators whose kernels are modelled."""
        return sum(cost.instructions for cost in self.costs if cost is not None)

    @cached_property
    def cycles(self) -> int:
        """Sum over all operators whose kernels are modelled."""
        return sum(cost.cycles for cost in self.costs if cost is not None)

    @property
    def missing(self) -> list[DeviceOperator]:
        """Operators whose kernels are not modelled; but those that run once."""
        pairs = zip(self.operators, self.costs, strict=True)
        return [one for one, cost in pairs if cost is None and not _runs_once(one)]

    @property
    def once(self) -> list[DeviceOperator]:
        """Operators that do their work in the first inference and none in those after it."""
        return [one for one in self.operators if _runs_once(one)]

    @property
    def accuracy(self) -> Accuracy:
        """The estimate's largest error.

        In total as far as it was on int8 models, or as all operators that have an estimate
        would be if each were off by as much as the worst random layer of its kind.
        """
        usual = CORES[self.target.processor].accuracy
        assert usual is not None, "a processor with costs has an accuracy"
        pairs = zip(self.costs, self.errors, strict=True)
        known = [
            (cost.instructions, usual.operator if error is None else error.worst)
            for cost, error in pairs
            if cost is not None
        ]
        if self.is_int8 or not known:
            return usual
        share = sum(count * worst for count, worst in known) / max(self.instructions, 1)
        return replace(usual, instructions=max(usual.instructions, share))

    @property
    def is_int8(self) -> bool:
        """Whether all activations are int8: such models were measured as a whole."""
        tensors = (t for op in self.operators for t in op.view.inputs[:1] + op.view.outputs)
        return all(t is None or t.type is TensorType.INT8 for t in tensors)

    def milliseconds(self, index: int) -> float | None:
        """The time of an operator, waits among it; None without a clock or an estimate.

        Those of all operators add up to the middle of the inference's range.
        """
        cost = self.costs[index]
        if self.clock is None or cost is None:
            return None
        work, whole = _work(self.operators[index], cost), self.work
        share = self.span.middle
        if self.board is not None and self.board.stalls is not None and whole.cycles:
            stalls = self.board.stalls
            share *= with_stalls(work, stalls) / max(with_stalls(whole, stalls), 1e-9)
            return whole.cycles / self.clock / 1000 * share
        return cost.cycles / self.clock / 1000 * share

    @cached_property
    def work(self) -> Running:
        """Computing, instructions and weights of all operators that have an estimate."""
        pairs = zip(self.operators, self.costs, strict=True)
        parts = [_work(one, cost) for one, cost in pairs if cost is not None]
        return (
            Running(*(sum(column) for column in zip(*parts, strict=True))) if parts else Running(0)
        )

    def time(self, limit: float | None = None, margin: float | None = None) -> Need:
        """The time of an inference next to a limit in milliseconds.

        Args:
            limit: None if there is none.
            margin: By what share it may be off, instead of what is known of the device.
        """
        if self.clock is None:
            return unknown_time(limit, "not known without a clock")
        span = self._span(margin)
        reason = why_incomplete(self)
        if reason is None:
            return need_of_cycles(self.cycles, span, self.clock, limit)
        bound = self.cycles * span.low / self.clock / 1000
        note = f"{reason} The others take at least {amount(bound, 'ms')}"
        return unknown_time(limit, note, bound)

    @cached_property
    def span(self) -> Span:
        """Shares of the computing cycles that an inference takes on the device."""
        return self._span(None)

    def _span(self, margin: float | None) -> Span:
        span = span_of(self.work, self.target.processor, self.board, self.clock, margin)
        assert span is not None, "a processor with costs has an accuracy"
        slower = _SLOWER.get(self.target.optimize, 1.0)
        borrowed = sum(one.cycles for one in self.costs if one is not None and one.is_borrowed)
        if margin is not None or slower == 1 or not borrowed:
            return span
        high = span.high * (1 + (slower - 1) * borrowed / self.cycles)
        why = f"{span.why}; what -{self.target.optimize} adds to some kernels was not measured"
        return Span(span.low, high, why)

    def rows(self) -> list[dict[str, Any]]:
        """A row per operator, as ``pandas.DataFrame`` takes them."""
        facts: list[dict[str, Any]] = cost_facts(self)["operators"]
        left_out = ("loops", "error")
        return [{key: row[key] for key in row if key not in left_out} for row in facts]

    def share(self, cost: Cost) -> float:
        """A part of all cycles."""
        return cost.cycles / max(self.cycles, 1)


@takes(clock=optional(real()), board=optional(instance(Board, expected="a Board")))
def model_cost(
    model: Model | Source,
    target: Target | str = DEFAULT,
    clock: float | None = None,
    board: Board | None = None,
) -> ModelCost:
    """Estimate what an inference costs: the main subgraph of ``model``, operator by operator.

    >>> ar.cost("kws.tflite", "cortex-m4", 168).cycles     # doctest: +SKIP

    Args:
        model: A model, a file's path, or a file's bytes.
        target: The firmware that is meant.
        clock: In MHz; without one there are cycles and no milliseconds.
        board: The board, whose flash may be known.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
        ValueError: The costs of that target are not known.
    """
    model, firmware = model_of(model), find_target(target)
    if reason := why_no_costs(firmware):
        raise ValueError(reason)
    costs = library_of(firmware).costs()
    everywhere = device_operators(model, firmware)
    operators = [one for one in everywhere if one.subgraph == 0]
    has_calls = any(
        calls_of(one) and not traits_of(one.name).runs_once for one in model.main.operators
    )
    return ModelCost(
        file=model.source,
        target=firmware,
        clock=clock,
        operators=tuple(operators),
        costs=tuple(costs.cost_of(one.view, one.path, firmware) for one in operators),
        errors=tuple(costs.error_of(one.view, firmware) for one in operators),
        has_calls=has_calls,
        bodies=_bodies(everywhere, firmware) if has_calls else (),
        board=board,
    )


def _work(operator: DeviceOperator, cost: Cost) -> Running:
    tensors = (tensor for tensor in operator.view.inputs if tensor is not None)
    constants = sum(one.type.nbytes(one.size) for one in tensors if one.is_constant)
    return Running(cost.cycles, cost.instructions, constants)


def _runs_once(operator: DeviceOperator) -> bool:
    return traits_of(operator.view.name).runs_once


def _bodies(operators: Sequence[DeviceOperator], target: Target) -> tuple[Body, ...]:
    found, cost_of = [], library_of(target).costs().cost_of
    for subgraph in sorted({one.subgraph for one in operators} - {0}):
        inside = [one for one in operators if one.subgraph == subgraph]
        costs = [cost_of(one.view, one.path, target) for one in inside]
        known = [cost for cost in costs if cost is not None]
        instructions, cycles = (
            sum(getattr(cost, unit) for cost in known) for unit in ("instructions", "cycles")
        )
        found.append(Body(subgraph, instructions, cycles, len(known) == len(costs)))
    return tuple(found)


def cost_facts(cost: ModelCost) -> dict[str, Any]:
    """Everything that ``arenite cost`` prints; see ``docs/cli.md`` for the keys."""
    known, time = len(cost.missing) < len(cost.operators) or not cost.operators, cost.time()
    return {
        "file": cost.file,
        "target": asdict(cost.target),
        "clock_mhz": cost.clock,
        "instructions": cost.instructions if known else None,
        "cycles": cost.cycles if known else None,
        "milliseconds": time.total,
        "low": time.least,
        "high": time.most,
        "complete": not cost.missing,
        "reason": why_incomplete(cost),
        "accuracy": asdict(cost.accuracy),
        "subgraphs": [body._asdict() for body in cost.bodies],
        "operators": [
            _operator_facts(cost, operator, one, error)
            for operator, one, error in zip(cost.operators, cost.costs, cost.errors, strict=True)
        ],
    }


def _operator_facts(
    cost: ModelCost, operator: DeviceOperator, one: Cost | None, error: Error | None
) -> dict[str, Any]:
    return {
        "index": operator.index,
        "name": operator.view.name,
        "function": operator.function if operator.calls_library else None,
        "macs": operator.macs,
        "instructions": None if one is None else one.instructions,
        "cycles": None if one is None else one.cycles,
        "milliseconds": cost.milliseconds(operator.index),
        "error": None if one is None or error is None else error._asdict(),
        "loops": [] if one is None else [_loop_facts(line) for line in one.lines],
    }


def _loop_facts(line: Line) -> dict[str, Any]:
    return {**line.loop._asdict(), "instructions": line.instructions, "cycles": line.cycles}


def why_incomplete(cost: ModelCost) -> str | None:
    """The reason for operators that are not in the total; None if all are."""
    if not cost.missing:
        return None
    calls = ""
    if cost.has_calls:
        calls = " Nor are the subgraphs that they call: how often is known at run time."
    known = library_of(cost.target).costs().known
    return (
        f"{len(cost.missing)} of {len(cost.operators)} operators have no estimate, and are not in "
        f"the total: {kinds(cost.missing)}. Costs are known {known}.{calls}"
    )


def kinds(operators: Sequence[DeviceOperator]) -> str:
    """``9 CONV_2D of float32, RESHAPE of float32``."""
    counts = Counter(kind_of(operator) for operator in operators)
    return ", ".join(kind if count == 1 else f"{count} {kind}" for kind, count in counts.items())


def kind_of(operator: DeviceOperator) -> str:
    """``CONV_2D of int8 and int4``: the types of its first two inputs that are not int32."""
    present = (tensor.type for tensor in operator.view.inputs[:2] if tensor is not None)
    types = list(dict.fromkeys(str(type_) for type_ in present if type_ is not TensorType.INT32))
    return operator.view.name + (f" of {' and '.join(types)}" if types else "")
