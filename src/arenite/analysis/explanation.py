"""Reasons for the kernels that firmware runs a model's operators with."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.device import DeviceOperator, device_operators
from arenite.callable_modules import html_of
from arenite.cores import DEFAULT
from arenite.formats import Source, model_of
from arenite.libraries.library import library_of
from arenite.model import Model
from arenite.target import Target, find_target


@dataclass(frozen=True)
class Explanation:
    """A model's subgraphs on a target, the main one first."""

    file: str
    target: Target
    operators: tuple[DeviceOperator, ...]

    _repr_html_ = html_of

    def rows(self) -> list[dict[str, Any]]:
        """A row per operator, as ``pandas.DataFrame`` takes them."""
        return [
            {
                "subgraph": one.subgraph,
                "index": one.index,
                "name": one.view.name,
                "function": one.function,
                "macs": one.macs,
                "scratch": sum(request.size for request in one.scratch),
            }
            for one in self.operators
        ]

    def __repr__(self) -> str:
        return f"<{self.file or '(built)'} on {self.target}: {len(self.operators)} operators>"

    def instructions(self, operator: DeviceOperator) -> Counter[str]:
        """DSP or vector instructions of one inference; empty where they are not known."""
        counts = library_of(self.target).costs().instruction_counts
        return counts(operator.loops or (), self.target)


def explanation(model: Model | Source, target: Target | str = DEFAULT) -> Explanation:
    """Say what runs on ``target``, and why: which function every operator takes.

    >>> ar.explain("kws.tflite", "cortex-m55")     # doctest: +SKIP

    Args:
        model: A model, a file's path, or a file's bytes.
        target: The firmware that is meant.

    Raises:
        ValueError: There is no such target.
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    model, target = model_of(model), find_target(target)
    operators = device_operators(model, target)
    return Explanation(model.source, target, tuple(operators))


def explanation_facts(what: Explanation) -> dict[str, Any]:
    """Everything that ``arenite explain`` prints; see ``docs/cli.md`` for the keys."""
    return {
        "file": what.file,
        "target": asdict(what.target),
        "operators": [operator_facts(what, operator) for operator in what.operators],
    }


def operator_facts(what: Explanation, operator: DeviceOperator) -> dict[str, Any]:
    """One operator: where it goes, what was asked on the way, what it takes."""
    path = operator.path
    return {
        "subgraph": operator.subgraph,
        "index": operator.index,
        "name": operator.view.name,
        "function": operator.function if operator.calls_library else None,
        "calls": [] if path is None else list(path.calls),
        "conditions": [] if path is None else [c._asdict() for c in path.conditions],
        "macs": operator.macs,
        "scratch": [vars(request) for request in operator.scratch],
        "instructions": dict(what.instructions(operator)),
    }
