"""ASSIGN_VARIABLE behind the last layer that reads what the variable was.

Then a variable's rows, and the new ones behind them, can be read where they lie; before it, they
would have to be copied. Layers in between neither read nor assign the variable, and end nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arenite.firmware.network.kernel import State, Work
from arenite.firmware.network.layers import AnyLayer, Network
from arenite.firmware.plan.layout import alive_bytes
from arenite.firmware.plan.story import member_of
from arenite.model import Model

_ASSIGN = "ASSIGN_VARIABLE"


def with_late_assignments(model: Model, network: Network, works: Sequence[Work]) -> Model:
    """The model with its operators in that order, as far as that takes no more memory.

    ``network`` and ``works`` are the model's, which is given back where nothing moves.
    """
    places = {
        layer.index: place
        for layer, work in zip(network.layers, works, strict=True)
        if layer.name == _ASSIGN and len(work.states) == 1
        if (place := _place(layer, work.states[0], network, works)) != layer.index
    }
    least, moved = alive_bytes(network, works) if places else 0, dict[int, float]()
    for more in (places, *({index: place} for index, place in places.items())):
        trial = moved | more
        if trial != moved and _alive_bytes(network, works, trial) <= least:
            moved = trial
    if not moved:
        return model
    operators = tuple(model.main.operators[index] for index in _order(network, moved))
    main = replace(model.main, operators=operators)
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


def _order(network: Network, moved: Mapping[int, float]) -> list[int]:
    return sorted(range(len(network.layers)), key=lambda index: moved.get(index, index))


def _alive_bytes(network: Network, works: Sequence[Work], moved: Mapping[int, float]) -> int:
    order = _order(network, moved)
    layers = (replace(network.layers[index], index=n) for n, index in enumerate(order))
    return alive_bytes(replace(network, layers=tuple(layers)), [works[index] for index in order])


def _place(layer: AnyLayer, state: State, network: Network, works: Sequence[Work]) -> float:
    """Behind which layer an assignment may go: its own number if it stays."""
    pieces = _pieces(state, layer.index, network, works)
    readers = [one.index for one in network.layers if any(v.index in pieces for v in one.present())]
    last = max([layer.index, *readers])
    between = works[layer.index + 1 : last + 1]
    if any(state in work.states or work.ends is not None for work in between):
        return layer.index
    return last + 0.5 if last > layer.index else layer.index


def _pieces(state: State, end: int, network: Network, works: Sequence[Work]) -> set[int]:
    """Tensors with bytes that lie, or may lie, in a variable's memory before layer ``end``."""
    found: set[int] = set()
    for layer, work in zip(network.layers, works, strict=True):
        if work.routine is None and work.in_place and layer.input(work.in_place[0]).index in found:
            found.add(layer.output.index)
        outputs = {value.index for value in layer.outputs}
        for place in filter(None, work.places):
            part, whole = place.part.index, member_of(place.whole)
            if whole in found or (whole == state and layer.index < end):
                found |= {part} & outputs
            if part in found and isinstance(whole, int):
                found |= {whole} & outputs
    return found
