"""Spectra of real rows, which TFLM has no complex numbers for: pairs of floats instead.

Facts: LiteRT ``kernels/rfft2d.cc`` (rows are cut or filled up to ``fft_length``), TFLM
``signal/micro/kernels/rfft.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import Operator
from arenite.optimize._functions import FLOATS
from arenite.optimize.parts import CannotError, Parts

#: Bytes of a matrix that are fewer than the code and tables of a fast transformation.
_SMALL = 48 << 10


def complex_abs(parts: Parts) -> None:
    """Square root of the sum of two squares, of pairs that a matrix gives."""
    pairs = _pairs(parts)
    squares = parts.run("MUL", pairs, pairs, shape=(*parts.y.shape, 2))
    last = parts.told([len(parts.y.shape)])
    parts.run("SQRT", parts.run("SUM", squares, last))
    parts.rounds(FLOATS)


def real(parts: Parts) -> None:
    """The first number of each pair."""
    _half(parts, 0)


def imag(parts: Parts) -> None:
    """The second number of each pair."""
    _half(parts, 1)


def _half(parts: Parts, which: int) -> None:
    pairs, rank = _pairs(parts), len(parts.y.shape)
    begin, size = parts.told([0] * rank + [which]), parts.told([*parts.y.shape, 1])
    one = parts.run("SLICE", pairs, begin, size, shape=(*parts.y.shape, 1))
    parts.run("RESHAPE", one, parts.told(parts.y.shape))
    parts.rounds(FLOATS)


def _pairs(parts: Parts) -> int:
    """Pairs of a real and an imaginary part, in the shape of the output and 2."""
    transform = _transform(parts)
    edit = parts.edit
    length = edit.constant(transform, 1)
    parts.require(length is not None and length.tolist()[:1] == [1], "it is of two dimensions")
    assert length is not None
    count, rows = int(length[1]), edit.tensors[transform.inputs[0]]
    size = rows.shape[-1]
    matrix = _matrix(count, size)
    parts.require(matrix.nbytes <= _SMALL, f"its matrix would take {matrix.nbytes:,} bytes")
    weights = parts.value(matrix, None, "transform")
    tall = (parts.y.size // (count // 2 + 1), size)
    x = parts.run("RESHAPE", transform.inputs[0], parts.told(tall), shape=tall)
    made = parts.run(
        "FULLY_CONNECTED", x, weights, shape=(tall[0], len(matrix)), keep_num_dims=True
    )
    wanted = (*parts.y.shape, 2)
    return parts.run("RESHAPE", made, parts.told(wanted), shape=wanted)


def _matrix(count: int, size: int) -> np.ndarray:
    """Rows that give real and imaginary part in turns, of rows of ``size`` numbers."""
    turns = np.outer(np.arange(count // 2 + 1), np.arange(size)) % count
    angles = 2 * np.pi * turns / count
    both = np.stack([np.cos(angles), -np.sin(angles)], axis=1)
    both[:, :, count:] = 0
    return both.reshape(-1, size).astype(np.float32)


def _transform(parts: Parts) -> Operator:
    """The RFFT2D that the complex numbers come from, behind what reshapes them."""
    index = parts.input(0)
    for _ in range(8):
        position = parts.edit.writer(index)
        if position is None:
            break
        found = parts.edit.operator(position)
        if found.name == "RFFT2D":
            return found
        if found.name != "RESHAPE":
            break
        index = found.inputs[0]
    raise CannotError("its complex numbers do not come from RFFT2D")
