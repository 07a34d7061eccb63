"""Moves in assembly: the bytes of NumPy, and two instructions for eight words."""

import numpy as np
import pytest

from arenite.firmware.kernels.cortex_m.asm_cycles import count_of
from arenite.firmware.kernels.cortex_m.moving import code, in_assembly
from arenite.firmware.kernels.portable.moving import Move
from arenite.firmware.trial import trial
from arenite.model import ModelBuilder
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from tests.firmware.values import value
from tests.ops.differential import CASES

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def instructions(move):
    return count_of(code(move).replace("@name@", "copy"), [0x2000, 0x1000]).instructions


@pytest.mark.parametrize(("size", "most"), [(4, 4), (32, 4), (36, 6), (256, 35), (2304, 294)])
def test_a_piece_costs_at_most(size, most):
    assert instructions(Move(value(size), value(size), size)) <= most


def test_pieces_apart_cost_their_steps():
    move = Move(value(22, 32), value(22, 64), 32, steps=((22, 32, 64),))
    assert instructions(move) <= 3 + 22 * 5


def test_moves_along_two_axes_are_loops_in_c():
    move = Move(value(99), value(99), 4, steps=((2, 16, 16), (2, 8, 8)))
    assert in_assembly(move) is None


@pytest.mark.parametrize("seed", range(2 if CASES <= 50 else 20))
def test_random_boxes_and_rows_are_the_reference_s(seed):
    rng = np.random.default_rng(seed)
    how = {"scale": 1.0, "zero_point": 0}
    b = ModelBuilder()
    for _ in range(6):
        shape = (1, *(int(n) for n in rng.integers(1, 7, 2)), 4 * int(rng.integers(1, 24)))
        x = b.input("x", shape, "int8", **how)
        first = [int(rng.integers(n)) for n in shape[:3]] + [4 * int(rng.integers(shape[3] // 4))]
        size = tuple(n - at for n, at in zip(shape, first, strict=True))
        last = [at + n for at, n in zip(first, size, strict=True)]
        ends = [b.constant("n", np.array(n, np.int32)) for n in (first, last, [1] * 4)]
        y = b.tensor("y", size, "int8", **how)
        b.operator("STRIDED_SLICE", [x, *ends], [y], StridedSliceOptions(0, 0))
        z = b.tensor("z", (1, *shape[1:3], 2 * shape[3]), "int8", **how)
        b.operator("CONCATENATION", [x, x], [z], ConcatenationOptions(axis=3))
        b.output(y)
        b.output(z)
    result = trial(b.build(), runs=3)
    assert result.differences == ()
