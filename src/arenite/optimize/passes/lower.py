"""Lower: what the target's TFLM lacks or refuses is written from operators that it has.

Constants that it cannot read become float32, shapes become constants, hybrid layers float ones;
other operators are put together from simpler ones (:mod:`arenite.optimize.lowerings`). An operator
stays where the firmware would refuse what takes its place as well.
"""

from __future__ import annotations

from arenite.memory.offline import without_plan
from arenite.model import Model, Operator
from arenite.ops.registry import traits_of
from arenite.optimize.lowerings import LOWERINGS
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.parts import CannotError, Parts, refusal_of, why_refused
from arenite.optimize.passes._shapes import fold_shape, settle_shapes
from arenite.optimize.passes._weights import float_weights, widen_constant
from arenite.optimize.passes.clean import drop_operators
from arenite.optimize.rewrite import Edit, edited
from arenite.optimize.settings import Settings

#: An operator's parts may be lowered as well, so deep.
_DEPTH = 4


def lower(model: Model, settings: Settings) -> Outcome:
    """Write what the target does not run from what it does; where the settings ask for it."""
    if not settings.lower or refusal_of(model, settings.target) is None:
        return Outcome(model)
    bare = without_plan(model)  # a plan is for the operators that there were
    edits = [Edit(bare, number) for number in range(len(model.subgraphs))]
    changes: list[Note] = []
    declined: list[Note] = []
    is_exact = True
    for edit in edits:
        for position, operator in edit:
            if operator.is_custom or operator.name in model.registrations:
                continue
            where = edit.place(position)
            done = widen_constant(edit, position, settings) or fold_shape(edit, position)
            if done:
                changes.append(Note(where, f"{operator.name} {done}"))
                continue
            shapes = [edit.tensors[i].shape for i in operator.outputs if i >= 0]
            try:
                parts = lowered(edit, operator, settings)
            except CannotError as error:
                declined.append(Note(where, f"{operator.name} stays: {error}"))
                continue
            settled = [edit.tensors[i].shape for i in operator.outputs if i >= 0]
            if settled != shapes:
                text = f"gives {settled[0]}, which follows from its inputs: the file left it open"
                changes.append(Note(where, f"{operator.name} {text}"))
            if parts is not None:
                parts.put(position)
                is_exact &= parts.is_exact
                changes.append(Note(where, f"{operator.name} {parts}"))
    if not changes:
        return Outcome(model, declined=tuple(declined))
    result, gone = drop_operators(edited(bare, edits))
    changes += gone
    return Outcome(result, tuple(changes), tuple(declined), is_exact)


def lowered(edit: Edit, operator: Operator, settings: Settings, depth: int = 0) -> Parts | None:
    """What takes an operator's place; None where it can stay.

    Raises:
        CannotError: The target refuses it, and nothing takes its place.
    """
    if traits_of(operator.name).effect in ("calls", "variables"):
        return None
    settle_shapes(edit, operator, settings)
    refusal = why_refused(edit, operator, settings.target)
    if not refusal:
        return None
    parts = Parts(edit, operator)
    if not float_weights(parts):
        rule = LOWERINGS.get(operator.name)
        if rule is None or depth == _DEPTH:
            raise CannotError(refusal)
        rule(parts)
    parts.replace_each(lambda one: lowered(edit, one, settings, depth + 1))
    return parts
