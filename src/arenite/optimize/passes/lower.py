"""Lower: what the target's TFLM lacks or refuses is written from operators that it has.

Constants that it cannot read become float32, shapes become constants, hybrid layers float ones;
other operators are put together from simpler ones (:mod:`arenite.optimize.lowerings`). An operator
stays where the firmware would refuse what takes its place as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from arenite.memory.offline import without_plan
from arenite.model import Model, Operator
from arenite.ops.registry import traits_of
from arenite.optimize._composites import decomposed
from arenite.optimize._cycles import cycles_of
from arenite.optimize.lowerings import rule_of
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.parts import CannotError, Parts, refusal_of, why_refused
from arenite.optimize.passes._narrow import narrowed
from arenite.optimize.passes._shapes import fold_shape, settle_loop, settle_shapes
from arenite.optimize.passes._weights import float_weights, misreads, widen_constant
from arenite.optimize.passes.clean import drop_operators
from arenite.optimize.rewrite import Edit, edited
from arenite.optimize.settings import Settings
from arenite.runtime.allocation import smallest_arena

#: An operator's parts may be lowered as well, so deep.
_DEPTH = 4


def lower(model: Model, settings: Settings) -> Outcome:
    """Write what the target does not run from what it does; where the settings ask for it."""
    if not settings.lower:
        return Outcome(model)
    if refusal_of(model, settings.target) is None and not misreads(model):
        return Outcome(model)
    found = _found(model, settings)
    if settings.compress and found.changes and not _is_affordable(found.model, settings):
        found = _found(model, replace(settings, compress=False))
    return found if found.changes else Outcome(model, declined=found.declined)


def _is_affordable(model: Model, settings: Settings) -> bool:
    """Whether weights that are made floats in every inference leave arena and time enough."""
    if refusal_of(model, settings.target) is not None:
        return True  # nothing is affordable
    if settings.ram is not None and smallest_arena(model, target=settings.target) > settings.ram:
        return False
    target = settings.target
    return target is None or settings.cycles is None or cycles_of(model, target) <= settings.cycles


def _found(model: Model, settings: Settings) -> Outcome:
    """The model lowered, with the operators of composites in their places."""
    apart = decomposed(without_plan(model))  # a plan is for the operators that there were
    found = _narrowed(apart.model, settings)
    return found._replace(changes=(*apart.changes, *found.changes))


def _narrowed(bare: Model, settings: Settings) -> Outcome:
    """The model lowered, with integers of 32 bits where those of 64 stand in the way."""
    found = _lowered(bare, settings)
    if found.declined and (narrow := narrowed(bare)).model is not bare:
        other = _lowered(narrow.model, settings)
        if len(other.declined) < len(found.declined):
            changes, is_exact = (*narrow.changes, *other.changes), narrow.is_exact & other.is_exact
            return Outcome(other.model, changes, other.declined, is_exact)
    return found


def _lowered(model: Model, settings: Settings) -> Outcome:
    """Every operator that has to be, lowered."""
    edits = [Edit(model, number) for number in range(len(model.subgraphs))]
    log = _Log()
    for edit in edits:
        for position, operator in edit:
            if not operator.is_custom and operator.name not in model.registrations:
                settle_loop(edits, edit, operator)
                _lower(edit, position, settings, log)
    result, gone = drop_operators(edited(model, edits))
    left = {note.where for note in log.declined} - {note.where for note in gone}
    declined = tuple(note for note in log.declined if note.where in left)
    return Outcome(result, (*log.changes, *gone), declined, log.is_exact)


def with_known_shapes(model: Model) -> Model:
    """The model with constants in place of what it computes from shapes, and no other operator."""
    settings = Settings(lower=True)
    edits = [Edit(model, number) for number in range(len(model.subgraphs))]
    for edit in edits:
        for position, operator in edit:
            if not operator.is_custom and not fold_shape(edit, position):
                settle_shapes(edit, operator, settings)
    return drop_operators(edited(model, edits))[0]


@dataclass
class _Log:
    """Notes on what was lowered and what was not."""

    changes: list[Note] = field(default_factory=list)
    declined: list[Note] = field(default_factory=list)
    is_exact: bool = True


def _lower(edit: Edit, position: int, settings: Settings, log: _Log) -> None:
    """Lower one operator, if it has to be."""
    operator, where = edit.operator(position), edit.place(position)
    done = widen_constant(edit, position, settings) or fold_shape(edit, position)
    if done:
        log.changes.append(Note(where, f"{operator.name} {done}"))
        return
    shapes = [edit.tensors[i].shape for i in operator.outputs]
    try:
        parts = lowered(edit, operator, settings)
    except CannotError as error:
        log.declined.append(Note(where, f"{operator.name} stays: {error}"))
        return
    settled = [edit.tensors[i].shape for i in operator.outputs]
    if settled != shapes:
        text = f"gives {settled[0]}, which follows from its inputs: the file left it open"
        log.changes.append(Note(where, f"{operator.name} {text}"))
    if parts is not None:
        parts.put(position)
        log.is_exact &= parts.is_exact
        log.changes.append(Note(where, f"{operator.name} {parts}"))


def lowered(edit: Edit, operator: Operator, settings: Settings, depth: int = 0) -> Parts | None:
    """The operators for an operator's place; None where it can stay.

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
    if settings.compress and traits_of(operator.name).takes_decoded:
        try:
            if float_weights(parts, is_small=True):
                parts.replace_each(lambda one: lowered(edit, one, settings, depth + 1))
                return parts
        except CannotError:  # its kernel reads weights before anything runs
            parts.forget()
    if not float_weights(parts):
        rule = rule_of(operator.name)
        if rule is None or depth == _DEPTH:
            raise CannotError(refusal)
        try:
            rule(parts)
        except CannotError as error:
            reason = f"{refusal}; {error}" if str(error) else refusal
            raise CannotError(reason) from error
    parts.replace_each(lambda one: lowered(edit, one, settings, depth + 1))
    return parts
