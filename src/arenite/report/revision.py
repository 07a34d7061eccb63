"""Lacks of a revision of TFLM, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.revision import Lacking
from arenite.report.text import wrapped


def render_lacking(lacks: Lacking, width: int) -> Iterator[Text]:
    """A sentence per operator, what is refused, or that all is there."""
    yield Text()
    refused = [f"{lacks.revision} refuses the model: {lacks.refused}"] if lacks.refused else []
    sentences = [*lacks.operators.values(), *refused]
    for sentence in sentences or [f"{lacks.revision} has all these operators."]:
        yield from wrapped(sentence, width)
    if lacks.remedy:
        yield from wrapped(f"It runs what this makes of the model: {lacks.remedy}", width)
