"""The passes' way to a better recipe: what one gives is judged, and kept if it helps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from importlib import import_module
from typing import NamedTuple

from arenite.analysis.evaluation.samples import Source
from arenite.quantize.judge import Judge
from arenite.quantize.outcome import Step
from arenite.quantize.recipe import Recipe
from arenite.quantize.settings import PASSES, Settings

#: Where passes are: each is found by its file's name.
_FOLDER = "arenite.quantize.passes"


class Means(NamedTuple):
    """Means of a pass: samples to learn from, the judge, who runs samples, settings."""

    learning: Source
    judge: Judge
    executor: Executor | None
    settings: Settings


#: Recipes that may be better, each with what is special about it.
Pass = Callable[[Recipe, Means], Iterator[tuple[str, Recipe]]]


def improved(
    recipe: Recipe, means: Means, progress: Callable[[str, int, int], object]
) -> tuple[Recipe, tuple[Step, ...]]:
    """The best recipe that the passes lead to, and every step on the way.

    ``progress`` is called with each pass's name, how many are done, and how many there are.
    """
    judge, settings = means.judge, means.settings
    asked = [name for name in PASSES if name in settings.passes]
    best = judge.verdict(recipe.written.model)
    steps = [Step("plain", settings.method, best.sqnr, best.sqnr, kept=True, seconds=0.0)]
    for number, name in enumerate(asked):
        progress(f"pass {name}", number, len(asked))
        run: Pass = getattr(import_module(f"{_FOLDER}.{name}"), name)
        begin, before, found = time.perf_counter(), best.sqnr, recipe
        for detail, candidate in run(recipe, means):
            verdict = judge.verdict(candidate.written.model)
            kept = verdict.is_better_than(best)
            end = time.perf_counter()
            steps.append(Step(name, detail, before, verdict.sqnr, kept, end - begin))
            begin = end
            if kept:
                best, found = verdict, candidate
        recipe = found
    last = {one.name: n for n, one in enumerate(steps) if one.kept}
    settled = tuple(
        one._replace(kept=one.kept and last[one.name] == n) for n, one in enumerate(steps)
    )
    return recipe, settled
