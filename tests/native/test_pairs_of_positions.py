"""Products of two positions by two channels, eight bytes deep, are those of the reference."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array
from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum

VALID = 1
every_isa = pytest.mark.parametrize("isa", available_isas())
#: None, one, some and all of what goes through the registers at once, and the ends of a strip.
POSITIONS = [1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 127, 128, 129, 130, 131]
#: One strip, or several, which begin with an even position or not.
STRIPS = [2, 3, 120, 125, 130, 131, 250, 256, 258, 260, 300, 515]
#: Whole eights and not, up to those of two runs of sixteen bytes.
DEPTHS = [*range(1, 18), 24, 31, 33, 40, 63, 64]


def numbers(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


@every_isa
@pytest.mark.parametrize("positions", POSITIONS)
def test_any_number_of_positions(positions: int, isa: str) -> None:
    x, w = numbers((1, 1, positions, 24), 1), numbers((20, 1, 1, 24), 2)
    check(isa, x, convolution(x, w, 1, largest_sum(w) / 100))


@every_isa
@pytest.mark.parametrize("depth", [8, 12, 16, 40])
@pytest.mark.parametrize("positions", STRIPS)
def test_strips_of_several_blocks(positions: int, depth: int, isa: str) -> None:
    x, w = numbers((1, 1, positions, depth), depth), numbers((72, 1, 1, depth), positions)
    check(isa, x, convolution(x, w, 1, largest_sum(w) / 100))


@every_isa
@pytest.mark.parametrize("depth", DEPTHS)
def test_any_depth(depth: int, isa: str) -> None:
    x, w = numbers((2, 4, 5, depth), depth), numbers((18, 2, 3, depth), depth + 1)
    check(isa, x, convolution(x, w, 1, largest_sum(w) / 100))


@every_isa
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("filters", [2, 8, 16, 17, 48])
def test_rows_whose_ends_are_in_pairs_of_their_own(filters: int, stride: int, isa: str) -> None:
    x, w = numbers((1, 9, 11, 12), stride), numbers((filters, 3, 3, 12), filters)
    check(isa, x, convolution(x, w, stride, largest_sum(w) / 100, padding=VALID))


@every_isa
@pytest.mark.parametrize("value", [-128, 127])
def test_the_largest_sums_that_int32_holds(value: int, isa: str) -> None:
    depth = (2**31 - 1) // (255 * 128)
    x = np.full((1, 1, 7, depth), -128, np.int8)
    x[0, 0, ::2] = 127
    w = np.full((3, 1, 1, depth), value, np.int8)
    check(isa, x, convolution(x, w, 1, largest_sum(w) / 100))
