"""Compress: constants in fewer bytes, which TFLM_DECODE decodes before they are used.

Each constant is written in the way that takes least: a table of its values with indices of a few
bits, Huffman's codes (tensors whose values are spread alike share a table), or a mask of what is
not 0. An operator gets one TFLM_DECODE right before it, as TFLM's own tool does it, so that memory
beside the arena can hold what is decoded. It pays with time, and with arena: nothing is done where
the settings do not ask for it.

Facts: TFLM ``micro/compression/decode_insert.py`` (where the operators are), ``decode.cc``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import traits_of
from arenite.ops.shared.encoding import Codes, coded, counts_of, looked_up, masked
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.rewrite import Edit, why_fixed
from arenite.optimize.settings import Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.runtime.allocation import smallest_arena

_KINDS = ("a table", "Huffman's codes", "a mask")
#: The functions of TFLM_DECODE on an emulated Cortex-M4, -O2, all three kinds of them.
_CODE = "17,000 bytes of code more"
#: What an operator and its pair of inputs take in a file besides, in bytes: measured.
_OVERHEAD = 120
#: Bytes that tables of Huffman's codes take for a symbol, and for all, about.
_PER_SYMBOL, _PER_TABLE = 2.2, 150


class Place(NamedTuple):
    """A constant: its subgraph, and its number there."""

    subgraph: int
    tensor: int


def compress(model: Model, settings: Settings) -> Outcome:
    """Write constants in fewer bytes where that makes the file smaller."""
    if not settings.compress:
        return Outcome(model)
    if reason := why_fixed(model):
        return Outcome(model, declined=(Note("$", reason),))
    chosen = _chosen(model)
    kept, declined = _kept(model, chosen, settings)
    if not kept:
        none = Note("$", "no constant takes less with TFLM_DECODE")
        return Outcome(model, declined=(*declined, none))
    result = _with(model, kept)
    before, after = (len(tflite.write(one)) for one in (model, result))
    if after >= before:
        why = f"the file would take {after:,} bytes instead of {before:,}"
        return Outcome(model, declined=(*declined, Note("$", why)))
    notes = [_note(model, place, codes) for place, codes in kept.items()]
    saved = f"{before - after:,} bytes of the file; a firmware without TFLM_DECODE gets {_CODE}"
    return Outcome(result, (*notes, Note("$", saved)), tuple(declined))


def _note(model: Model, place: Place, codes: Codes) -> Note:
    tensor = model.subgraphs[place.subgraph].tensors[place.tensor]
    where = f"$.subgraphs[{place.subgraph}].tensors[{place.tensor}]"
    return Note(where, f"{tensor.nbytes:,} bytes as {_KINDS[codes.kind]} of {codes.size:,}")


# -- which constants, and how


def _chosen(model: Model) -> dict[Place, Codes]:
    """Encodings that save bytes, the most first."""
    tensors = dict(_candidates(model))
    found = {p: codes for p, one in tensors.items() if (codes := _least(one)) is not None}
    huffman = [place for place in tensors if _entropy(tensors[place]) < _size(found.get(place))]
    for group in _groups([tensors[place] for place in huffman]):
        places = [huffman[number] for number in group]
        found |= _sharing({place: tensors[place] for place in places}, found)
    saved = {p: tensors[p].nbytes - _own(c, found) - _OVERHEAD for p, c in found.items()}
    order = sorted(found, key=lambda place: -saved[place])
    return {place: found[place] for place in order if saved[place] > 0}


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
    """Constants that sums of products alone read, and whose bytes nobody shares."""
    for number, subgraph in enumerate(model.subgraphs):
        edit = Edit(model, number)
        data = [id(tensor.data) for tensor in subgraph.tensors if tensor.data is not None]
        for index, tensor in enumerate(subgraph.tensors):
            readers = [subgraph.operators[at] for at in edit.readers(index)]
            if tensor.value is None or not edit.is_inner(index) or not readers:
                continue
            sums = all(traits_of(one.name).values == "sums" for one in readers)
            if sums and data.count(id(tensor.data)) == 1 and tensor.nbytes > _OVERHEAD:
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


# -- within the arena that there is


def _kept(
    model: Model, chosen: dict[Place, Codes], settings: Settings
) -> tuple[dict[Place, Codes], list[Note]]:
    """All that runs in the arena that there may be, and why the others do not."""
    if not (reason := _why_not(model, chosen, settings)):
        return chosen, []
    kept, declined = dict[Place, Codes](), []
    for place, codes in chosen.items():
        if reason := _why_not(model, kept | {place: codes}, settings):
            where = f"$.subgraphs[{place.subgraph}].tensors[{place.tensor}]"
            declined.append(Note(where, reason))
        else:
            kept[place] = codes
    return kept, declined


def _why_not(model: Model, chosen: dict[Place, Codes], settings: Settings) -> str:
    resolver, _ = resolver_for(model)
    try:
        arena = smallest_arena(_with(model, chosen), resolver, target=settings.target)
    except AreniteError as error:
        return f"it does not run decoded: {error}"
    if settings.ram is not None and arena > settings.ram:
        return f"decoded, the model needs an arena of {arena:,} bytes, not {settings.ram:,}"
    return ""


# -- the model with them


def _with(model: Model, chosen: dict[Place, Codes]) -> Model:
    """The model with a TFLM_DECODE before every operator that reads one of them."""
    subgraphs = list(model.subgraphs)
    for number, subgraph in enumerate(subgraphs):
        mine = {place.tensor: codes for place, codes in chosen.items() if place.subgraph == number}
        if mine:
            subgraphs[number] = _decoding(subgraph, mine)
    return replace(model, subgraphs=tuple(subgraphs))


def _decoding(subgraph: Subgraph, chosen: dict[int, Codes]) -> Subgraph:
    tensors, operators = list(subgraph.tensors), list[Operator]()
    constants: dict[bytes, int] = {}
    decoded: set[int] = set()

    def constant(data: bytes) -> int:
        if data not in constants:
            value = np.frombuffer(data, np.uint8)
            constants[data] = len(tensors)
            tensors.append(Tensor("", TensorType.UINT8, value.shape, constant_bytes(value)))
        return constants[data]

    def output(index: int) -> int:
        """The tensor itself, without its data; a copy for every further operator."""
        empty = replace(subgraph.tensors[index], data=None, buffer=0)
        if index not in decoded:
            decoded.add(index)
            tensors[index] = empty
            return index
        tensors.append(empty)
        return len(tensors) - 1

    for operator in subgraph.operators:
        wanted = [i for i in dict.fromkeys(operator.inputs) if i in chosen]
        if not wanted:
            operators.append(operator)
            continue
        pairs = [constant(data) for i in wanted for data in (chosen[i].codes, chosen[i].meaning)]
        outputs = {i: output(i) for i in wanted}
        operators.append(
            Operator("TFLM_DECODE", tuple(pairs), tuple(outputs.values()), is_custom=True)
        )
        inputs = tuple(outputs.get(i, i) for i in operator.inputs)
        operators.append(replace(operator, inputs=inputs))
    return replace(subgraph, tensors=tuple(tensors), operators=tuple(operators))
