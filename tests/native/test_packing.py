"""The search in C can be left at any step, and says when its room ends."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from arenite.memory.packing import sections_of

pytest.importorskip("arenite.native._engine")

native: Any = pytest.importorskip("arenite.native.packing")

LIFETIMES = [(0, 3), (1, 4), (2, 6), (3, 5), (4, 7), (0, 7), (6, 9), (5, 9)]
SIZES = [4, 6, 3, 7, 2, 1, 9, 3]
#: What is alive in the middle: it can be reached.
HEIGHT = 17


def packing(lifetimes: Sequence[tuple[int, int]] = LIFETIMES, room: int = 10_000) -> Any:
    sizes = [SIZES[n % len(SIZES)] for n in range(len(lifetimes))]
    sections, spans = sections_of(lifetimes)
    pairs = [
        [m for m, b in enumerate(lifetimes) if m != n and max(a[0], b[0]) < min(a[1], b[1])]
        for n, a in enumerate(lifetimes)
    ]
    blocks = np.zeros(len(lifetimes) + 1, native.BLOCK)
    blocks["others"][1:] = np.cumsum([len(others) for others in pairs])
    blocks["size"][:-1] = blocks["least"][:-1] = sizes
    blocks["lifetime"][:-1] = [end - begin for begin, end in lifetimes]
    blocks["first"][:-1] = [span.start for span in spans]
    blocks["behind"][:-1] = [span.stop for span in spans]
    neighbours = np.array(
        [(m, 0, sizes[n], sizes[m]) for n, others in enumerate(pairs) for m in others],
        native.NEIGHBOUR,
    )
    alive = np.array([n for section in sections for n in section], np.int32)
    alive_from = np.cumsum([0, *map(len, sections)], dtype=np.int32)
    return native.Packing(blocks, neighbours, alive, alive_from, room=room)


@pytest.mark.parametrize("order", native.ORDERS)
@pytest.mark.parametrize("height", [HEIGHT, HEIGHT - 1, 30])
def test_steps_one_by_one_lead_where_all_at_once_do(height: int, order: int) -> None:
    whole, sliced = packing(), packing()
    whole.start(height, order)
    outcome, taken = whole.run(10**6)
    assert outcome is (height >= HEIGHT)
    sliced.start(height, order)
    steps = [sliced.run(1) for _ in range(taken + 1)]
    assert {outcome for outcome, _ in steps[:-2]} <= {None}
    assert outcome in {steps[-1][0], steps[-2][0]}
    if outcome:
        assert sliced.offsets == whole.offsets
        assert max(map(sum, zip(whole.offsets, SIZES, strict=True))) <= height


def test_a_search_can_begin_anew() -> None:
    search = packing()
    search.start(HEIGHT, 0)
    search.run(2)
    search.start(HEIGHT - 1, 0)
    assert search.run(10**6)[0] is False
    search.start(HEIGHT, 0)
    assert search.run(10**6)[0] is True


def test_without_room_it_says_so() -> None:
    # Each of 40 steps has up to 40 candidates.
    search = packing([(0, 1)] * 40, room=0)
    search.start(1000, 0)
    with pytest.raises(MemoryError):
        search.run(10**6)
