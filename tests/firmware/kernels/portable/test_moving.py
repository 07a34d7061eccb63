"""Layers that only move bytes, as data and as C."""

import numpy as np
import pytest

from arenite.firmware.kernels.portable.moving import Move, move_of, moved
from arenite.firmware.network.kernel import Constant, Place, State
from arenite.model import TensorType
from tests.firmware.values import value


class Layer:
    """What a kernel asks of a layer here."""

    name = "SOME_MOVE"

    def __init__(self, output):
        self.output = output


def text(*moves, fill=None):
    return moved(Layer(moves[0].target), moves, fill=fill).routine.body


def test_axes_that_lie_in_a_row_are_one_piece():
    x, y = value(2, 3, 4), value(2, 3, 4)
    move = move_of(x, y, [(2, 12, 12), (3, 4, 4), (4, 1, 1)])
    assert (move.bytes, move.steps) == (24, ())


def test_an_axis_with_a_gap_is_a_step():
    x, y = value(2, 3, 4), value(2, 2, 4)
    move = move_of(x, y, [(2, 12, 8), (2, 4, 4), (4, 1, 1)], start=4)
    assert (move.bytes, move.steps, move.total) == (8, ((2, 12, 8),), 16)


def test_bytes_that_lie_apart_are_pieces_of_one():
    move = move_of(value(8), value(4), [(4, 2, 1), (1, 1, 1)])
    assert (move.bytes, move.steps) == (1, ((4, 2, 1),))
    assert "y[i] = x[i * 2];" in text(move)


def test_words_are_moved_where_all_is_at_words():
    x, y = value(16), value(16)
    assert text(Move(x, y, 16)) == "for (int32_t i = 0; i < 4; ++i) {\n  y[i] = x[i];\n}"
    assert "i < 7" in text(Move(x, y, 14))  # halves
    assert "i < 13" in text(Move(x, y, 13))
    assert "x[3 + i]" in text(Move(x, y, 4, start=3))


@pytest.mark.parametrize(
    ("kind", "unit"),
    [(TensorType.INT16, 16), (TensorType.FLOAT32, 32), (TensorType.INT64, 64)],
)
def test_elements_are_integers_of_as_many_bytes(kind, unit):
    x, y = value(8, kind=kind), value(8, kind=kind)
    routine = moved(Layer(y), [Move(x, y, x.nbytes)]).routine
    assert routine.parameters == (f"const uint{unit}_t *x", f"uint{unit}_t *y")


def test_a_variable_of_eight_bytes_an_element_is_moved_by_bytes():
    x, state = value(2, kind=TensorType.INT64), State("v", 16)
    assert moved(Layer(x), [Move(x, state, 16)]).routine.parameters[0] == "const uint8_t *x"


def test_a_piece_that_is_a_whole_tensor_has_a_place():
    part, whole, state = value(1, 4), value(3, 4), State("v", 12)
    assert Move(part, whole, 4, place=8).as_place() == Place(part, whole, 8)
    assert Move(whole, part, 4, start=4).as_place() == Place(part, whole, 4)
    assert Move(state, whole, 12).as_place() == Place(whole, state, 0)
    assert Move(whole, part, 2).as_place() is None
    assert Move(whole, part, 1, steps=((4, 3, 1),)).as_place() is None


def test_moves_that_are_spared_are_left_out():
    a, b, whole = value(4), value(4), value(8)
    moves = [Move(a, whole, 4), Move(b, whole, 4, place=4)]
    work = moved(Layer(whole), moves)
    rest = work.rest(frozenset({0}))
    assert rest.arguments == (b, whole)
    assert rest.rest(frozenset({0, 1})).routine is None
    assert rest.rest(frozenset()).arguments == work.arguments


def test_a_constant_has_zeros_behind_its_last_word():
    x, y = value(6, data=np.arange(6, dtype=np.int8)), value(4)
    (constant, _) = moved(Layer(y), [Move(x, y, 4)]).arguments
    assert isinstance(constant, Constant)
    assert constant.values.tolist() == [0x03020100, 0x0504]


def test_a_border_is_filled_in_words_first():
    x, y = value(2, 4), value(4, 4)
    lines = text(Move(x, y, 8, place=4), fill=-3).splitlines()
    assert lines[1] == "  y[i] = 0xfdfdfdfdu;"
    assert lines[4] == "  y[1 + i] = x[i];"
