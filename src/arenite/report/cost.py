"""What an inference costs on a Cortex-M, as facts and as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.text import Text

from arenite.analysis.device import DeviceOperator, device_operators
from arenite.cmsis_nn.cost.estimate import ACCURACY, Cost, Line, cost_of
from arenite.model import Model, TensorType
from arenite.report.explain import operator_lines
from arenite.report.text import Column, number, printable, table, wrapped
from arenite.target import Target, find_target

_BAR = 20


@dataclass(frozen=True)
class ModelCost:
    """The estimate for a model's main subgraph; ``clock`` is in MHz."""

    file: str
    target: Target
    clock: float
    operators: tuple[DeviceOperator, ...]
    costs: tuple[Cost | None, ...]

    @property
    def instructions(self) -> int:
        """Of all operators whose kernels are modelled."""
        return sum(cost.instructions for cost in self.costs if cost is not None)

    @property
    def cycles(self) -> int:
        """Of all operators whose kernels are modelled."""
        return sum(cost.cycles for cost in self.costs if cost is not None)

    @property
    def missing(self) -> list[DeviceOperator]:
        """Operators whose kernels are not modelled."""
        pairs = zip(self.operators, self.costs, strict=True)
        return [operator for operator, cost in pairs if cost is None]

    def milliseconds(self, cycles: float) -> float:
        """How long that many cycles take."""
        return cycles / self.clock / 1000

    def share(self, cost: Cost) -> float:
        """A part of all cycles."""
        return cost.cycles / max(self.cycles, 1)


def model_cost(model: Model, target: Target | str, clock: float) -> ModelCost:
    """Estimate the main subgraph of ``model``.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
        ValueError: The costs of that target are not known.
    """
    firmware = find_target(target)
    operators = device_operators(model, firmware)
    costs = (cost_of(operator.view, operator.path, firmware) for operator in operators)
    return ModelCost(model.source, firmware, clock, tuple(operators), tuple(costs))


# -- facts ----------------------------------------------------------------------------


def cost_facts(cost: ModelCost) -> dict[str, Any]:
    """Everything that ``arenite cost`` prints; see ``docs/cli.md`` for the keys."""
    accuracy = ACCURACY[cost.target.processor]
    return {
        "file": cost.file,
        "target": asdict(cost.target),
        "clock_mhz": cost.clock,
        "instructions": cost.instructions,
        "cycles": cost.cycles,
        "milliseconds": cost.milliseconds(cost.cycles),
        "complete": not cost.missing,
        "accuracy": asdict(accuracy),
        "operators": [
            _operator_facts(cost, operator, one)
            for operator, one in zip(cost.operators, cost.costs, strict=True)
        ],
    }


def _operator_facts(cost: ModelCost, operator: DeviceOperator, one: Cost | None) -> dict[str, Any]:
    return {
        "index": operator.index,
        "name": operator.view.name,
        "function": operator.function if operator.calls_cmsis_nn else None,
        "macs": operator.macs,
        "instructions": None if one is None else one.instructions,
        "cycles": None if one is None else one.cycles,
        "milliseconds": None if one is None else cost.milliseconds(one.cycles),
        "loops": [] if one is None else [_loop_facts(line) for line in one.lines],
    }


def _loop_facts(line: Line) -> dict[str, Any]:
    return {**line.loop._asdict(), "instructions": line.instructions, "cycles": line.cycles}


# -- text -----------------------------------------------------------------------------


def render_cost(cost: ModelCost, width: int, bar: str = "█") -> Iterator[Text]:
    """A row per operator, the total, how far to trust it."""
    yield from _heading(cost, width)
    yield Text()
    yield from _operators(cost, width, bar)
    if len(cost.missing) < len(cost.operators):
        yield from _accuracy(cost, width, ACCURACY[cost.target.processor].instructions)
    if cost.missing:
        yield from _missing(cost, width)


def render_operator_cost(cost: ModelCost, index: int, width: int, bar: str = "█") -> Iterator[Text]:
    """A row per level of one operator's loops."""
    operator, one = cost.operators[index], cost.costs[index]
    yield from _heading(cost, width)
    yield Text()
    yield from operator_lines(operator, width)
    if one is None:
        yield Text()
        text = f"There is no estimate for {_kind(operator)}: costs are those of int8 kernels."
        yield from wrapped(text, width, style="yellow")
        return
    yield Text()
    yield from _loops(one, width, bar)
    yield from _accuracy(cost, width, ACCURACY[cost.target.processor].operator)


def _heading(cost: ModelCost, width: int) -> Iterator[Text]:
    yield Text(printable(cost.file), style="bold")
    yield from wrapped(f"{cost.target}; {cost.clock:g} MHz, -O2", width)


def _operators(cost: ModelCost, width: int, bar: str) -> list[Text]:
    costs = cost.costs
    instructions = [number(one.instructions) if one is not None else "?" for one in costs]
    cycles = [number(one.cycles) if one is not None else "?" for one in costs]
    times = [_time(cost.milliseconds(one.cycles)) if one is not None else "?" for one in costs]
    shares = [cost.share(one) if one is not None else 0.0 for one in costs]
    macs = [number(op.macs) if op.macs is not None else "?" for op in cost.operators]
    total = cost.milliseconds(cost.cycles)
    known = len(costs) - len(cost.missing)
    label = f"total of {known}" if cost.missing else "total"
    columns = [
        Column("#", [*(str(op.index) for op in cost.operators), ""], "right"),
        Column("operator", [*(printable(op.view.name) for op in cost.operators), label], shrink=14),
        Column("function", [*(op.function for op in cost.operators), ""], keep=2),
        Column(
            "MACs", [*macs, number(sum(op.macs or 0 for op in cost.operators))], "right", keep=4
        ),
        Column("instructions", [*instructions, number(cost.instructions)], "right", keep=1),
        Column("cycles", [*cycles, number(cost.cycles)], "right"),
        Column("ms", [*times, _time(total)], "right"),
        Column("", [*(_bar(share, bar) for share in shares), ""], keep=3, style="green"),
    ]
    lines = table(columns, width)
    lines[-1].stylize("bold")
    return lines


def _loops(one: Cost, width: int, bar: str) -> list[Text]:
    """Functions and below them their loops, the dearest first."""
    rows: list[tuple[str, Sequence[Line]]] = []
    for function, lines in _by_function(one):
        rows.append((function, lines))
        rows += [(f"  {line.loop.step}", [line]) for line in lines]
    rows.append(("total", one.lines))
    instructions = [sum(line.instructions for line in lines) for _, lines in rows]
    cycles = [sum(line.cycles for line in lines) for _, lines in rows]
    single = [text.startswith(" ") for text, _ in rows]
    each = [
        f"{lines[0].instructions / lines[0].loop.times:.4g}" if alone else ""
        for (_, lines), alone in zip(rows, single, strict=True)
    ]
    passes = [
        number(lines[0].loop.times) if alone else ""
        for (_, lines), alone in zip(rows, single, strict=True)
    ]
    bars = [
        _bar(count / max(one.cycles, 1), bar) if alone else ""
        for count, alone in zip(cycles, single, strict=True)
    ]
    columns = [
        Column("one pass of", [text for text, _ in rows], shrink=20),
        Column("passes", passes, "right"),
        Column("each", each, "right", keep=2),
        Column("instructions", [number(round(n)) for n in instructions], "right", keep=1),
        Column("cycles", [number(round(n)) for n in cycles], "right"),
        Column("", bars, keep=3, style="green"),
    ]
    texts = table(columns, width)
    for text, alone in zip(texts[1:], single, strict=True):
        text.stylize("" if alone else "bold")
    return texts


def _by_function(one: Cost) -> list[tuple[str, list[Line]]]:
    groups: dict[str, list[Line]] = {}
    for line in sorted(one.lines, key=lambda line: -line.cycles):
        groups.setdefault(line.loop.function, []).append(line)
    return sorted(groups.items(), key=lambda group: -sum(line.cycles for line in group[1]))


def _accuracy(cost: ModelCost, width: int, instructions: float) -> Iterator[Text]:
    yield Text()
    cycles = ACCURACY[cost.target.processor].cycles
    yield from wrapped(
        f"An estimate: instructions within {instructions:.0%}, cycles within "
        f"{cycles:.0%}, for memory that never waits. Instructions were "
        "checked against an emulator that counts them; cycles follow from Arm's documents.",
        width,
    )


def _missing(cost: ModelCost, width: int) -> Iterator[Text]:
    yield Text()
    yield from wrapped(
        f"{len(cost.missing)} of {len(cost.operators)} operators have no estimate, and are not in "
        f"the total: {_kinds(cost.missing)}. Costs are those of int8 kernels.",
        width,
        style="yellow",
    )


def _kinds(operators: Sequence[DeviceOperator]) -> str:
    """``9 CONV_2D of float32, RESHAPE of float32``."""
    kinds: dict[str, int] = {}
    for operator in operators:
        kind = _kind(operator)
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(kind if count == 1 else f"{count} {kind}" for kind, count in kinds.items())


def _kind(operator: DeviceOperator) -> str:
    """``CONV_2D of int8 and int4``: the types of its first two inputs that are not int32."""
    present = (tensor.type for tensor in operator.view.inputs[:2] if tensor is not None)
    types = list(dict.fromkeys(str(type_) for type_ in present if type_ is not TensorType.INT32))
    return operator.view.name + (f" of {' and '.join(types)}" if types else "")


def _time(milliseconds: float) -> str:
    return f"{milliseconds:,.3f}" if milliseconds < 100 else f"{milliseconds:,.1f}"


def _bar(share: float, bar: str) -> str:
    return bar * round(_BAR * share)
