"""Choice of the constants that are decoded: the smallest file within time and memory.

Bytes saved and cycles add up, so constants are chosen as things are for a knapsack: the most bytes
within the cycles that are left. What is decoded lives from its TFLM_DECODE to the operator that
reads it, so arenas do not add up: each constant is tried alone, then all together.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from arenite.errors import AreniteError
from arenite.model import Model
from arenite.ops.shared.encoding import Codes
from arenite.optimize._cycles import cycles_of
from arenite.optimize._decoding import decoding
from arenite.optimize._encodings import Place, Way
from arenite.optimize.outcome import Note
from arenite.optimize.settings import Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.runtime.allocation import smallest_arena

#: Into so many shares the cycles that are left are divided.
_SHARES = 2048

Chosen = dict[Place, Codes]


def affordable(
    model: Model, ways: dict[Place, list[Way]], settings: Settings
) -> tuple[Chosen, list[Note]]:
    """Constants to decode, and why others stay."""
    best = {place: some[0].codes for place, some in ways.items()}
    if not best or not _why_not(model, best, settings):
        return best, []
    alone = {
        place: _why_not(model, {place: some[-1].codes}, settings, time=False)
        for place, some in ways.items()
    }
    declined = [_note(place, why) for place, why in alone.items() if why]
    left = {place: some for place, some in ways.items() if not alone[place]}
    chosen = _within_time(model, left, settings)
    late = [place for place in left if place not in chosen]
    why = _why_late(model, settings) if late else ""
    declined += [_note(place, why) for place in late]
    kept: Chosen = {}
    if not _why_not(model, chosen, settings):
        return chosen, declined
    for place, codes in chosen.items():
        if reason := _why_not(model, kept | {place: codes}, settings):
            declined.append(_note(place, reason))
        else:
            kept[place] = codes
    return kept, declined


def _why_late(model: Model, settings: Settings) -> str:
    assert settings.target is not None
    assert settings.cycles is not None
    before = cycles_of(model, settings.target)
    if before >= settings.cycles:
        return f"an inference takes {before:,} of {settings.cycles:,} cycles without decoding"
    return "the deadline leaves no time to decode it"


def _note(place: Place, text: str) -> Note:
    return Note(f"$.subgraphs[{place.subgraph}].tensors[{place.tensor}]", text)


def _why_not(model: Model, chosen: Chosen, settings: Settings, *, time: bool = True) -> str:
    """The reason why a model cannot have some constants decoded; empty where it can."""
    decoded = decoding(model, chosen)
    try:
        arena = _arena(decoded, settings)
    except AreniteError as error:
        return f"it does not run decoded: {error}"
    if settings.ram is not None and arena > settings.ram:
        return f"decoded, the model needs an arena of {arena:,} bytes, not {settings.ram:,}"
    if settings.decompression_memory and settings.ram is None:
        beside = _arena(decoded, replace(settings, decompression_memory=1 << 30))
        if arena > beside:
            return f"decoded, it does not fit into {settings.decompression_memory:,} bytes"
    if time and settings.cycles is not None and settings.target is not None:
        cycles = cycles_of(decoded, settings.target)
        if cycles > settings.cycles:
            return f"decoded, an inference takes {cycles:,} cycles, not {settings.cycles:,}"
    return ""


def _arena(model: Model, settings: Settings) -> int:
    beside = (settings.decompression_memory,) if settings.decompression_memory else ()
    resolver, _ = resolver_for(model)
    return smallest_arena(model, resolver, target=settings.target, decompression_memory=beside)


def _within_time(model: Model, ways: dict[Place, list[Way]], settings: Settings) -> Chosen:
    """The ways that save most bytes in the cycles that the deadline leaves."""
    if settings.cycles is None or settings.target is None:
        return {place: some[0].codes for place, some in ways.items()}
    before = cycles_of(model, settings.target)
    room = settings.cycles - before
    if room <= 0:
        return {}
    cost = {
        place: [
            cycles_of(decoding(model, {place: way.codes}), settings.target) - before for way in some
        ]
        for place, some in ways.items()
    }
    return _knapsack(ways, cost, room)


def _knapsack(ways: dict[Place, list[Way]], cost: dict[Place, list[int]], room: int) -> Chosen:
    """At most one way for each place, with the most bytes saved in ``room`` cycles."""
    share = max(1.0, room / _SHARES)
    limit = int(room / share)
    weights = {place: [max(0, math.ceil(one / share)) for one in cost[place]] for place in ways}
    best = np.zeros(limit + 1)
    picked: list[tuple[Place, np.ndarray]] = []
    for place, some in ways.items():
        pick, now = np.full(limit + 1, -1), best.copy()
        for number, (way, weight) in enumerate(zip(some, weights[place], strict=True)):
            if weight > limit:
                continue
            gain = best[: limit + 1 - weight] + way.saved
            is_better = gain > now[weight:]
            now[weight:][is_better] = gain[is_better]
            pick[weight:][is_better] = number
        best = now
        picked.append((place, pick))
    chosen, at = dict[Place, Codes](), limit
    for place, pick in reversed(picked):
        if pick[at] >= 0:
            chosen[place] = ways[place][pick[at]].codes
            at -= weights[place][pick[at]]
    return {place: chosen[place] for place in ways if place in chosen}
