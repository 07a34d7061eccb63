"""What an inference of a model costs on a Cortex-M: an estimate, operator by operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.device import DeviceOperator, device_operators
from arenite.cmsis_nn.cost.estimate import ACCURACY, Accuracy, Cost, Line, cost_of
from arenite.model import Model, TensorType
from arenite.model.calls import calls_of
from arenite.target import Target, find_target


@dataclass(frozen=True)
class ModelCost:
    """The estimate for a model's main subgraph; ``clock`` is in MHz.

    ``has_calls``: it calls other subgraphs, which are not in it: how often they run is known at
    run time only.
    """

    file: str
    target: Target
    clock: float
    operators: tuple[DeviceOperator, ...]
    costs: tuple[Cost | None, ...]
    has_calls: bool = False

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

    @property
    def accuracy(self) -> Accuracy:
        """How far the estimate may be off."""
        return ACCURACY[self.target.processor]

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
    operators = [one for one in device_operators(model, firmware) if one.subgraph == 0]
    has_calls = any(map(calls_of, model.main.operators))
    costs = (cost_of(operator.view, operator.path, firmware) for operator in operators)
    return ModelCost(model.source, firmware, clock, tuple(operators), tuple(costs), has_calls)


def cost_facts(cost: ModelCost) -> dict[str, Any]:
    """Everything that ``arenite cost`` prints; see ``docs/cli.md`` for the keys."""
    known = len(cost.missing) < len(cost.operators) or not cost.operators
    return {
        "file": cost.file,
        "target": asdict(cost.target),
        "clock_mhz": cost.clock,
        "instructions": cost.instructions if known else None,
        "cycles": cost.cycles if known else None,
        "milliseconds": cost.milliseconds(cost.cycles) if known else None,
        "complete": not cost.missing,
        "reason": why_incomplete(cost),
        "accuracy": asdict(cost.accuracy),
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


def why_incomplete(cost: ModelCost) -> str | None:
    """Why operators are not in the total; None if all are."""
    if not cost.missing:
        return None
    calls = ""
    if cost.has_calls:
        calls = " Nor are the subgraphs that they call: how often is known at run time."
    known = "those of int8 kernels" if cost.target.is_cmsis_nn else "known with CMSIS-NN for most"
    return (
        f"{len(cost.missing)} of {len(cost.operators)} operators have no estimate, and are not in "
        f"the total: {kinds(cost.missing)}. Costs are {known}.{calls}"
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
