"""Geometry of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, for the tests of both."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.ops.moves import Array, Shape


class Geometry(NamedTuple):
    """An image, its blocks and margins, and its parts as batches."""

    image: Shape
    size: list[int]
    margins: list[list[int]]
    parts: Shape

    @property
    def numbers(self) -> list[Array]:
        """Inputs 1 and 2 of both operators."""
        return [np.array(self.size, np.int32), np.array(self.margins, np.int32)]


@st.composite
def geometries(draw: st.DrawFn, *, margins: bool) -> Geometry:
    """One or two axes, blocks of up to 3, and margins if wanted."""
    axes = draw(st.sampled_from([1, 2, 2]))
    batches, depth = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    size = [draw(st.integers(1, 3)) for _ in range(axes)]
    blocks = [draw(st.integers(1, 4)) for _ in range(axes)]
    pairs = [[0, 0] for _ in range(axes)]
    for pair, count, length in zip(pairs, blocks, size, strict=True):
        room = count * length - 1 if margins else 0
        pair[0] = draw(st.integers(0, room))
        pair[1] = draw(st.integers(0, room - pair[0]))
    image = [n * k - sum(pair) for n, k, pair in zip(blocks, size, pairs, strict=True)]
    places = int(np.prod(size))
    return Geometry((batches, *image, depth), size, pairs, (batches * places, *blocks, depth))
