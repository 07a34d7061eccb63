"""Words on operators that a resolver does not have, and what helps."""

from __future__ import annotations

from arenite.errors import UnsupportedOperatorError
from arenite.model import Operator
from arenite.ops import OpResolver, builtin, only_mnn_has
from arenite.ops.remedies import of_custom_operator
from arenite.ops.tflm_names import add_method


def unsupported(
    first: list[tuple[Operator, str]], resolver: OpResolver
) -> UnsupportedOperatorError:
    """The error that lists all operators which a resolver lacks, with what helps for each.

    ``first``: the first of each kind, and where it is.
    """
    missing = [op for op, _ in first]
    names = [op.name for op in missing]
    lines = [f"the model needs operators that {resolver!r} does not have: {_listed(names)}"]
    came = {name: resolver.came(name) if hasattr(resolver, "came") else "" for name in names}
    lines += [sentence for sentence in came.values() if sentence]
    missing = [op for op in missing if not came[op.name]]
    foreign = {op.name: of_custom_operator(op.name) for op in missing if op.is_custom}
    lines += [f"{name}: {remedy}" for name, remedy in foreign.items() if remedy]
    others = [op for op in missing if not foreign.get(op.name)]
    if unknown := [op.name for op in others if _is_unknown_to_tflm(op)]:
        lines.append(
            f"TFLM has no operator {_listed(unknown)}: no firmware runs the model unless it brings "
            "a kernel; replace it in the original model, or bring one"
        )
    if others:
        lines += ["register them with", *map(_registering, others)]
    if any(builtin(op.name) is None for op in others):
        lines.append(
            "or load the model with operators={name: registration}; on the command line, "
            "--ops MODULE.py names a file that has them (docs/custom-operators.md)"
        )
    places = ", ".join(f"{_listed([op.name])} ({place})" for op, place in first)
    reason = f"TFLM has no {places}"
    return UnsupportedOperatorError("\n".join(lines), names, reason=reason)


def _listed(names: list[str]) -> str:
    """Names of a file's operators in one line, whatever is in them."""
    return ", ".join(name if name.isprintable() else repr(name) for name in names)


def _is_unknown_to_tflm(operator: Operator) -> bool:
    if operator.is_custom:
        return only_mnn_has(operator.name)
    return add_method(operator.name) is None


def _registering(operator: Operator) -> str:
    """The line that registers an operator."""
    functions = "ar.Registration(prepare=..., invoke=...)"
    if operator.is_custom:
        return f"  resolver.add_custom({operator.name!r}, {functions})"
    if builtin(operator.name) is None:
        return f"  resolver.add({operator.name!r}, {functions})"
    return f"  resolver.add({operator.name!r})"
