"""Which convolutions are worth more flash: a knapsack over layers.

Instructions are estimated from the loops of the two kernels: per product 14 of 16 in both; per
input 8 and per output 17 for Winograd's transforms, 6 per output otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arenite.firmware.cortex_m.winograd import winograd
from arenite.firmware.layers import Layer
from arenite.firmware.work import UnsupportedError, Work

#: Bytes of flash that are told apart.
_GRAIN = 64


class Offer(NamedTuple):
    """A faster way for a layer: its number, what it saves, what it takes in flash."""

    layer: int
    work: Work
    instructions: int
    bytes: int


def faster(layers: Sequence[Layer], works: Sequence[Work], flash: int) -> list[Work]:
    """The works, with the best set of faster ones that ``flash`` bytes have room for."""
    room = flash - sum(constant_bytes(work) for work in works)
    offers = [
        offer
        for number, (layer, work) in enumerate(zip(layers, works, strict=True))
        if (offer := _offer(number, layer, work)) is not None
    ]
    chosen = list(works)
    for offer in best(offers, room):
        chosen[offer.layer] = offer.work
    return chosen


def best(offers: Sequence[Offer], room: int) -> list[Offer]:
    """The offers that save most together in ``room`` bytes.

    >>> one, two = Offer(0, Work(None), 50, 640), Offer(1, Work(None), 70, 1000)
    >>> [offer.layer for offer in best([one, two], 1100)]
    [1]
    """
    slots = max(room, 0) // _GRAIN
    # What can be saved in so many slots, and how.
    saved: list[tuple[int, tuple[Offer, ...]]] = [(0, ())] * (slots + 1)
    for offer in offers:
        size = -(-offer.bytes // _GRAIN)
        for slot in range(slots, size - 1, -1):
            total, taken = saved[slot - size]
            if total + offer.instructions > saved[slot][0]:
                saved[slot] = total + offer.instructions, (*taken, offer)
    return list(saved[-1][1])


def constant_bytes(work: Work) -> int:
    """What a work has in flash."""
    return sum(constant.values.nbytes for constant in work.constants)


def _offer(number: int, layer: Layer, work: Work) -> Offer | None:
    if layer.name != "CONV_2D" or work.reason:
        return None
    try:
        other = winograd(layer)
    except UnsupportedError:
        return None
    inputs, outputs = layer.input(0).size, layer.output.size
    products = outputs * layer.input(1).size // layer.output.shape[3]
    direct = products * 14 // 16 + 6 * outputs
    saved = direct - (products * 4 // 9 * 14 // 16 + 8 * inputs + 17 * outputs)
    more = constant_bytes(other) - constant_bytes(work)
    return Offer(number, other, saved, more) if saved > 0 else None
