"""Fold: constant subgraphs, exact fusions, operators that do nothing.

Every rule looks at one operator. It changes it, with the reason; or says why it does not, though
the operator looks as if; or has nothing to say. Rules run until none changes anything.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.model import Model
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.passes._clamps import fuse_clamp
from arenite.optimize.passes._constants import evaluate_constant
from arenite.optimize.passes._moves import (
    drop_copy,
    join_reshapes,
    join_transpositions,
    read_unreshaped,
)
from arenite.optimize.passes._paddings import fuse_padding
from arenite.optimize.passes._requantizations import join_requantizations
from arenite.optimize.passes._result import Result
from arenite.optimize.rewrite import Edit, edited, why_fixed
from arenite.optimize.settings import Settings

Rule = Callable[[Edit, int], Result]
RULES: tuple[Rule, ...] = (
    drop_copy,
    evaluate_constant,
    fuse_clamp,
    fuse_padding,
    join_requantizations,
    join_transpositions,
    join_reshapes,
    read_unreshaped,
)
#: Rounds over all operators; a rule leaves work for the next one rarely.
_MAX_ROUNDS = 20


def fold(model: Model, settings: Settings) -> Outcome:
    """Evaluate what is constant, fuse what is exactly equal, drop what does nothing."""
    fixed = why_fixed(model)
    if fixed:
        return Outcome(model, declined=(Note("$", fixed),))
    edits = [Edit(model, number) for number in range(len(model.subgraphs))]
    changes: list[Note] = []
    declined: dict[str, Note] = {}
    for _ in range(_MAX_ROUNDS):
        before = len(changes)
        declined = {}
        for edit in edits:
            _round(edit, changes, declined)
        if len(changes) == before:
            break
    return Outcome(edited(model, edits), tuple(changes), tuple(declined.values()))


def _round(edit: Edit, changes: list[Note], declined: dict[str, Note]) -> None:
    for position, _ in edit:
        for rule in RULES:
            if edit.operators[position] is None:
                break
            result = rule(edit, position)
            if result is None:
                continue
            note = Note(edit.place(position), result.text)
            if result.is_change:
                changes.append(note)
            else:
                declined[note.where + rule.__name__] = note
