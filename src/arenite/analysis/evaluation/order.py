"""Orders of classes: whether the outputs mean the classes in another order than was taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arenite.model.model import Array

#: Another order is worth a word if it makes so much of the accuracy more,
_GAIN = 0.2
#: and so many samples of each class.
_SAMPLES = 2
#: Of more classes nobody looks for an order.
_MOST = 512


def better_order(confusion: Array, names: Sequence[str], samples: int) -> tuple[str, ...]:
    """The classes in the order of outputs that fits much better; empty if none does.

    Args:
        confusion: ``(classes, classes)`` counts, a row per right class, a column per output.
        names: The classes in the order that was taken.
        samples: How many there were, those without an answer included.
    """
    classes = len(names)
    needed = np.trace(confusion) + max(_GAIN * samples, _SAMPLES * classes)
    if classes > _MOST or confusion.max(axis=1).sum() < needed:
        return ()
    outputs = assignment(confusion)
    if confusion[np.arange(classes), outputs].sum() < needed:
        return ()
    return tuple(names[row] for row in np.argsort(outputs))


def assignment(gains: Array) -> Array:
    """A column of its own for each row, with the largest sum of gains.

    The Hungarian method with shortest augmenting paths: rows come one after the other, and each
    may move those before it; ``prices`` of columns and ``offers`` of rows keep all losses positive.

    Args:
        gains: ``(n, n)`` numbers.
    """
    count = len(gains)
    losses = gains.max(initial=0) - gains.astype(np.float64)
    offers, prices = np.zeros(count), np.zeros(count + 1)
    owner = np.full(count + 1, -1)  # the row of each column; the last column is where rows begin
    for row in range(count):
        owner[count], column = row, count
        least, before = np.full(count, np.inf), np.full(count, count)
        seen = np.zeros(count + 1, bool)
        while owner[column] >= 0:
            seen[column] = True
            loss = losses[owner[column]] - offers[owner[column]] - prices[:count]
            nearer = ~seen[:count] & (loss < least)
            least[nearer], before[nearer] = loss[nearer], column
            column = int(np.where(seen[:count], np.inf, least).argmin())
            step = least[column]
            offers[owner[seen]] += step
            prices[seen] -= step
            least[~seen[:count]] -= step
        while column != count:
            owner[column], column = owner[before[column]], int(before[column])
    found = np.empty(count, np.int64)
    found[owner[:count]] = np.arange(count)
    return found
