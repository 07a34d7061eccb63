"""Lacks of a revision of TFLM that a model needs filled."""

from __future__ import annotations

from typing import NamedTuple

from arenite.analysis.refusal import refusal, remedy
from arenite.model import Model
from arenite.revisions.changes import came
from arenite.revisions.known import revision_of
from arenite.target import Target


class Lacking(NamedTuple):
    """Obstacle in a model's way.

    Attributes:
        revision: As sentences call it.
        date: Its day.
        operators: Of the model that it has not, with a sentence each.
        refused: What its kernels refuse that today's take; empty where they take all.
        remedy: The command that makes a model of this one that it runs; empty where none does.
    """

    revision: str
    date: str
    operators: dict[str, str]
    refused: str
    remedy: str


def lacking(model: Model, name: str) -> Lacking:
    """The operators and types that a revision has not.

    Raises:
        ValueError: There is no revision of that name.
    """
    revision = revision_of(name)
    names = sorted({op.name for graph in model.subgraphs for op in graph.operators})
    sentences = {one: came(one, revision) for one in names}
    known = {one: words for one, words in sentences.items() if words}
    then = Target("host", abi="lp64_public", tflm=name)
    refused = "" if known or refusal(model) else refusal(model, then) or ""
    return Lacking(revision.title, revision.date, known, refused, remedy(model, then))
