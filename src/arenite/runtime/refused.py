"""Words on an operator that does not do what its model asks of it, and what helps."""

from __future__ import annotations

from functools import partial

from arenite.errors import ConstraintError, RefusedError
from arenite.hooks import call_above
from arenite.model import Model
from arenite.model.text import printable
from arenite.ops import NodeView, OpResolver
from arenite.ops.constraints import Constraint, demand
from arenite.ops.findings import found
from arenite.ops.remedies import of_types
from arenite.target import Target


def refused(operator: str, view: NodeView, constraint: Constraint) -> ConstraintError:
    """The error of a constraint that does not hold for ``operator``, which has a number.

    What is there, what is allowed, and the name of what the operator writes.
    """
    there = found(view, constraint)
    is_own = constraint.__module__.startswith("arenite.")
    takes = demand(constraint, "TFLM" if is_own else "the operator")
    if " is absent" in there and " takes " in takes:
        takes = f"{takes[:-1]}, all present."
    reason = f"{there}; {takes}{of_types(view, constraint)}"
    written = [printable(one.name) for one in view.outputs if one is not None and one.name]
    writes = f" It writes {written[0]!r}." if written and f"{written[0]!r}" not in reason else ""
    mark = "" if there.startswith("has ") else ":"
    return ConstraintError(f"{operator}{mark} {reason}{writes}", reason=reason.rstrip("."))


def let_ask(
    error: RefusedError, model: Model, target: Target | None, resolver: OpResolver | None
) -> None:
    """Let an error find out what makes the model run, where all operators may be used."""
    if getattr(resolver, "is_whole", False):
        error.ask_for_remedy(partial(call_above, "remedies", model, target))
