"""The pass ``ranges``: which values are worth their steps.

A range from the least to the largest value seen gives every value its integer, and to the few
outliers as many integers as to all others. Percentiles cut them off; the range of the least
squared error weighs both. Which is best for a model, the judge says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arenite.quantize.improve import Means
from arenite.quantize.ranges import METHODS
from arenite.quantize.recipe import Recipe


def ranges(recipe: Recipe, means: Means) -> Iterator[tuple[str, Recipe]]:
    """The recipe with every other way to take ranges."""
    for method in METHODS:
        if method != means.settings.method:
            yield method, replace(recipe, method=method)
