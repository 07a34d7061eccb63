"""The ways in which constants take fewer bytes, and which takes least.

A table of values, Huffman's codes, a mask of what is not 0. Tensors whose values are spread alike
share a table of Huffman's codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from arenite.model import Model, Tensor
from arenite.ops.registry import traits_of
from arenite.ops.shared.encoding import Codes, coded, counts_of, looked_up, masked
from arenite.optimize.rewrite import Edit

#: What an operator and its pair of inputs take in a file besides, in bytes: measured.
_OVERHEAD = 120
#: Bytes that tables of Huffman's codes take for a symbol, and for all, about.
_PER_SYMBOL, _PER_TABLE = 2.2, 150


class Place(NamedTuple):
    """A constant: its subgraph, and its number there."""

    subgraph: int
    tensor: int


class Way(NamedTuple):
    """One way to write a constant, and the bytes that it saves."""

    codes: Codes
    saved: float


def ways(model: Model) -> dict[Place, list[Way]]:
    """Every way to write a constant that saves bytes, the best first; the best constants first."""
    tensors = dict(_candidates(model))
    fast = {place: codes for place, one in tensors.items() if (codes := _least(one)) is not None}
    least = dict(fast)
    huffman = [place for place in tensors if _entropy(tensors[place]) < _size(fast.get(place))]
    for group in _groups([tensors[place] for place in huffman]):
        places = [huffman[number] for number in group]
        least |= _sharing({place: tensors[place] for place in places}, least)
    found = dict[Place, list[Way]]()
    for place, codes in least.items():
        size = tensors[place].nbytes - _OVERHEAD
        options = [Way(codes, size - _own(codes, least))]
        if place in fast and fast[place] is not codes:
            options.append(Way(fast[place], size - fast[place].size))
        if some := [way for way in options if way.saved > 0]:
            found[place] = some
    return dict(sorted(found.items(), key=lambda one: -one[1][0].saved))


def _sharing(tensors: dict[Place, Tensor], found: dict[Place, Codes]) -> dict[Place, Codes]:
    """Those of some tensors that are smaller with one table of Huffman's codes for all of them.

    The table counts once, and is made again where some are better off without.
    """
    kept = dict(tensors)
    while kept:
        made = coded(kept.values(), _sum(kept.values()))
        if made is None:
            return {}
        least = {p: min(_size(found.get(p)), kept[p].nbytes - _OVERHEAD) for p in kept}
        wins = {p: least[p] - len(c.codes) for p, c in zip(kept, made, strict=True)}
        if all(win > 0 for win in wins.values()):
            is_worth_it = sum(wins.values()) > len(made[0].meaning)
            return dict(zip(kept, made, strict=True)) if is_worth_it else {}
        kept = {place: kept[place] for place in kept if wins[place] > 0}
    return {}


def _own(codes: Codes, every: dict[Place, Codes]) -> float:
    """Bytes of codes, with their share of what they mean."""
    sharing = sum(one.meaning == codes.meaning for one in every.values())
    return len(codes.codes) + len(codes.meaning) / sharing


def _candidates(model: Model) -> Iterator[tuple[Place, Tensor]]:
    """Constants that kernels read when they run, not before, and whose bytes nobody shares."""
    for number, subgraph in enumerate(model.subgraphs):
        edit = Edit(model, number)
        data = [id(tensor.data) for tensor in subgraph.tensors if tensor.data is not None]
        for index, tensor in enumerate(subgraph.tensors):
            readers = [subgraph.operators[at] for at in edit.readers(index)]
            if tensor.value is None or not edit.is_inner(index) or not readers:
                continue
            late = all(traits_of(one.name).takes_decoded for one in readers)
            if late and data.count(id(tensor.data)) == 1 and tensor.nbytes > _OVERHEAD:
                yield Place(number, index), tensor


def _least(tensor: Tensor) -> Codes | None:
    """The smaller one of a table and a mask."""
    there = [one for one in (looked_up(tensor), masked(tensor)) if one is not None]
    return min(there, key=lambda one: one.size, default=None)


def _size(codes: Codes | None) -> float:
    return float("inf") if codes is None else codes.size


def _entropy(tensor: Tensor) -> float:
    """Bytes of Huffman's codes without their table, about; endless where there are none."""
    counts = counts_of(tensor)
    return float("inf") if counts is None else _bytes_of(np.array(list(counts.values())))


def _bytes_of(counts: np.ndarray) -> float:
    there = counts[counts > 0].astype(float)
    return float(-(there * np.log2(there / there.sum())).sum() / 8)


def _sum(tensors: Iterable[Tensor]) -> dict[int, int]:
    total: dict[int, int] = {}
    for tensor in tensors:
        for value, count in (counts_of(tensor) or {}).items():
            total[value] = total.get(value, 0) + count
    return total


def _groups(tensors: Sequence[Tensor]) -> list[list[int]]:
    """Numbers of those that share a table: two groups become one while that saves bytes."""
    found = [([number], _histogram(tensor)) for number, tensor in enumerate(tensors)]
    alone = [_with_table(counts) for _, counts in found]
    while True:
        wins = [
            (alone[a] + alone[b] - _with_table(found[a][1] + found[b][1]), a, b)
            for a in range(len(found))
            for b in range(a)
            if len(found[a][1]) == len(found[b][1])
        ]
        win, a, b = max(wins, default=(0.0, 0, 0))
        if win <= 0:
            return [numbers for numbers, _ in found]
        (some, x), (others, y) = found.pop(a), found.pop(b)
        del alone[a], alone[b]
        found.append((some + others, x + y))
        alone.append(_with_table(x + y))


def _histogram(tensor: Tensor) -> np.ndarray:
    """Counts of all values that its type has."""
    info = np.iinfo(tensor.type.dtype)
    assert tensor.value is not None
    values = tensor.value.reshape(-1).astype(np.int64) - int(info.min)
    return np.bincount(values, minlength=int(info.max) - int(info.min) + 1)


def _with_table(counts: np.ndarray) -> float:
    return _bytes_of(counts) + _PER_SYMBOL * np.count_nonzero(counts) + _PER_TABLE
