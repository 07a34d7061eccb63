"""Winograd's transforms for tiles of 2x2 and 4x4 outputs, as numbers and as instructions.

A tile of ``n = m + 2`` inputs a side becomes ``m`` outputs a side of a 3x3 convolution by n*n
products instead of 9*m*m: ``A^T [(G w G^T) * (B^T x B)] A`` (Lavin and Gray, 2015, with points 0,
1, -1, infinity and also 2, -2). Rows of G and columns of A^T are scaled so that all stays whole and
16 bits hold whatever int8 holds: one dimension gives ``factor`` times the convolution, a tile its
square.

What is scaled by how much is free as long as both go together. These numbers need no product on the
way back, only shifts, and position (1, 1) is in every output once: a bias is added there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.asm import Assembly

Matrix = npt.NDArray[np.int64]
#: Keeps a register as one of the transformed values, by number.
Store = Callable[[str, int], None]
#: Takes registers that hold sums of outputs, at (row, column) of a tile, and one that is free.
Made = Callable[[dict[str, tuple[int, int]], str], None]


@dataclass(frozen=True, eq=False)
class Tiles:
    """A size of tiles.

    Attributes:
        outputs: Outputs a side, m.
        factor: What one dimension is scaled by.
        inputs: ``B^T``, (n, n).
        weights: ``G``, scaled, (n, 3).
        back: ``A^T``, scaled, (m, n).
        values: Registers of n values that are transformed.
        raw: Registers of words that two such values are taken from; the same where there are no
            others left, and words are loaded twice.
        forward: Instructions from ``values`` to n transformed ones, two halfwords at a time. The
            last two values stay; r12, and r10 and r11 where they are free, do not.
        backward: Instructions from n*n sums at ``sums``, which moves behind them, to m*m outputs.
            r0 to r3 and lr are taken; ``begin`` is what is added to position (1, 1): a place on the
            stack, and r12.
        kept: Words on the stack, ``kept0`` and so on, that this takes; they are the first there.
        room: Tiles times channels that are transformed at once, so that scratch memory is bounded.
        turn: Tiles in one turn of the loop of outputs, at most.
    """

    outputs: int
    factor: int
    inputs: Matrix
    weights: Matrix
    back: Matrix
    values: tuple[str, ...]
    raw: tuple[str, ...]
    forward: Callable[[Assembly, Sequence[str], Store], None]
    backward: Callable[[Assembly, Made], None]
    kept: int
    room: int
    turn: int

    @property
    def side(self) -> int:
        """Inputs and positions a side, n."""
        return self.outputs + 2

    @property
    def positions(self) -> int:
        """Products a tile, of one input and one filter."""
        return self.side * self.side

    @property
    def scale(self) -> int:
        """The factor that sums are scaled by."""
        return self.factor * self.factor

    @property
    def name(self) -> str:
        """Such as ``4x4``."""
        return f"{self.outputs}x{self.outputs}"


def _forward_2x2(a: Assembly, d: Sequence[str], store: Store) -> None:
    pairs = (("ssub16", 0, 2), ("sadd16", 1, 2), ("ssub16", 2, 1), ("ssub16", 1, 3))
    for number, (word, one, two) in enumerate(pairs):
        a(f"{word} r12, {d[one]}, {d[two]}")
        store("r12", number)


def _forward_4x4(a: Assembly, d: Sequence[str], store: Store) -> None:
    """Sums and differences are shared: ``d4 - d2`` is in 0, 3 and 4, ``d3 - d1`` in 3, 4 and 5."""
    even, odd, out = "r10", "r11", "r12"

    def doubled(register: str, times: int) -> None:
        a(*(f"sadd16 {register}, {register}, {register}" for _ in range(times)))

    a(f"ssub16 {d[0]}, {d[0]}, {d[2]}", f"ssub16 {even}, {d[4]}, {d[2]}")
    doubled(d[0], 2)
    a(f"sadd16 {d[0]}, {d[0]}, {even}")
    store(d[0], 0)
    a(f"ssub16 {odd}, {d[3]}, {d[1]}")
    doubled(d[2], 2)
    doubled(d[1], 2)
    a(f"ssub16 {d[2]}, {d[4]}, {d[2]}", f"ssub16 {d[1]}, {d[3]}, {d[1]}")
    a(f"sadd16 {out}, {d[2]}, {d[1]}")
    store(out, 1)
    a(f"ssub16 {d[2]}, {d[2]}, {d[1]}")
    store(d[2], 2)
    doubled(odd, 1)
    a(f"sadd16 {out}, {even}, {odd}")
    store(out, 3)
    a(f"ssub16 {even}, {even}, {odd}")
    store(even, 4)
    doubled(odd, 1)
    a(f"ssub16 {d[3]}, {d[5]}, {d[3]}", f"ssub16 {d[3]}, {d[3]}, {odd}")
    store(d[3], 5)


def _backward_2x2(a: Assembly, made: Made) -> None:
    for row in range(4):
        a("ldm sums!, {r8-r11}")
        if row == 0:
            a("add r4, r8, r9", "add r4, r4, r10", "sub r6, r9, r10", "sub r6, r6, r11")
        elif row == 1:
            a("add r9, r9, r12", "add r5, r8, r9", "add r5, r5, r10", "sub r7, r9, r10")
            a("sub r7, r7, r11", "add r4, r4, r5", "add r6, r6, r7")
        else:
            a("add r8, r8, r9", "add r8, r8, r10", "sub r9, r9, r10", "sub r9, r9, r11")
            if row == 2:
                a("add r4, r4, r8", "sub r5, r5, r8", "add r6, r6, r9", "sub r7, r7, r9")
            else:
                a("sub r5, r5, r8", "sub r7, r7, r9")
    made({"r4": (0, 0), "r5": (1, 0), "r6": (0, 1), "r7": (1, 1)}, "r8")


def _backward_4x4(a: Assembly, made: Made) -> None:
    """From left to right into memory, then upwards, a column of outputs at a time."""
    given = ("r4", "r6", "r10", "r5")
    for row in range(6):
        a("ldm sums!, {r4-r9}")
        if row == 1:
            a("ldr r10, [begin]", "add r5, r5, r10")
        _combined(a)
        a(*(f"str {one}, [kept{6 * column + row}]" for column, one in enumerate(given)))
    a("mov r12, sp")
    for column in range(4):
        a("ldm r12!, {r4-r9}")
        _combined(a)
        made({one: (row, column) for row, one in enumerate(given)}, "r7")


def _combined(a: Assembly) -> None:
    """Six sums in r4 to r9 to four in r4, r6, r10, r5."""
    a("add r10, r5, r6", "sub r6, r5, r6", "add r11, r7, r8", "sub r8, r7, r8")
    a("add r4, r4, r10", "add r4, r4, r11", "add r5, r6, r8, lsl #3", "add r5, r5, r9, lsl #1")
    a("add r6, r6, r8, lsl #1", "add r10, r10, r11, lsl #2")


def _matrix(*rows: Sequence[int]) -> Matrix:
    return np.array(rows, np.int64)


TILES_2X2 = Tiles(
    outputs=2,
    factor=8,
    inputs=_matrix((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
    weights=_matrix((8, 0, 0), (4, 4, 4), (4, -4, 4), (0, 0, 8)),
    back=_matrix((1, 1, 1, 0), (0, 1, -1, -1)),
    values=("r8", "r9", "r10", "r11"),
    raw=("r4", "r5", "r6", "r7"),
    forward=_forward_2x2,
    backward=_backward_2x2,
    kept=0,
    room=256,
    turn=2,
)
TILES_4X4 = Tiles(
    outputs=4,
    factor=24,
    inputs=_matrix(
        (4, 0, -5, 0, 1, 0),
        (0, -4, -4, 1, 1, 0),
        (0, 4, -4, -1, 1, 0),
        (0, -2, -1, 2, 1, 0),
        (0, 2, -1, -2, 1, 0),
        (0, 4, 0, -5, 0, 1),
    ),
    weights=_matrix((6, 0, 0), (-4, -4, -4), (-4, 4, -4), (1, 2, 4), (1, -2, 4), (0, 0, 12)),
    back=_matrix(
        (1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 2)
    ),
    values=("r4", "r5", "r6", "r7", "r8", "r9"),
    raw=("r4", "r5", "r6", "r7", "r8", "r9"),
    forward=_forward_4x4,
    backward=_backward_4x4,
    kept=24,
    room=128,
    turn=1,
)
SIZES = (TILES_2X2, TILES_4X4)
