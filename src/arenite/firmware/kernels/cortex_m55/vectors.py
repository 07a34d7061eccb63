"""Parts that all kernels with vectors share: header, stream of constants, groups of four filters.

One stream of constants is read in order: for every four filters their first sums, their weights,
multipliers, addends, and steps where signs matter; see
:mod:`arenite.firmware.kernels.cortex_m.requantize`. Shifts to the right round here, so addends have
half of what is dropped less: an assembler in use (GNU binutils 2.40, Debian 12's) encodes the
narrowing shifts that do not round (VQSHRN) as those that do (VQRSHRN).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arenite.c_text import fill
from arenite.firmware.kernels.cortex_m.gemm import QUAD, quads
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, Words, words

Int32s = npt.NDArray[np.int32]
#: The most that a vector is shifted by while it becomes one of 16 bits.
_NARROWED = 16
#: Bytes of a vector.
LANES = 16


def pack(bias: Int64s, how: Requantization, weights: Sequence[npt.NDArray[np.int8]]) -> Int32s:
    """The stream of all filters, of which ``weights`` has those of each four of :func:`quads`."""
    parts: list[Words] = []
    for filters, own in zip(quads(len(bias)), weights, strict=True):
        if how.signed:
            constants = [how.constants(channel, 256, whole=True) for channel in filters]
        else:
            constants = [how.constants(channel, 1) for channel in filters]
        first = (
            0 if how.constant[channel] else int(bias[channel]) + one.bias
            for channel, one in zip(filters, constants, strict=True)
        )
        parts += [words(list(first)), np.ascontiguousarray(own).reshape(-1).view("<u4")]
        half = 1 << (_shift(how.k, signed=how.signed) - 1)
        rows = ((one.multiplier, one.addend - half, one.step) for one in constants)
        columns = zip(*rows, strict=True)
        parts += [words(column) for column in list(columns)[: 3 if how.signed else 2]]
    return np.concatenate(parts).astype(np.uint32).view(np.int32)


def without_constants(weights: Int64s, how: Requantization) -> npt.NDArray[np.int8]:
    """Weights, filter by filter, 0 where outputs never change."""
    shape = (-1,) + (1,) * (weights.ndim - 1)
    return np.where(how.constant.reshape(shape), 0, weights).astype(np.int8)


def place(name: str, filters: int) -> str:
    """C for where a four begins, the last of which may begin with some that were done before."""
    last = filters - QUAD
    return name if last <= 0 or not filters % QUAD else f"({name} < {last} ? {name} : {last})"


def finish(filters: int, how: Finish) -> dict[str, str | int]:
    """Values of the placeholders that end a group of four filters: ``$requantize``, numbers."""
    values = {"low": how.low, "high": how.high, "count": min(filters, QUAD)}
    return {
        "requantize": "ar_vector_signed" if how.signed else "ar_vector_rising",
        "right": _right(how),
        "limits": fill("$low, $high, $count", **values),
        "constants": 12 if how.signed else 8,
        "filters": filters,
        "place": place("four", filters),
    }


def both(how: Finish, one: str, two: str) -> str:
    """C that narrows two vectors, which have been requantised, to one of 16 bits."""
    right = _right(how)
    before = right - _NARROWED
    if before > 0:
        one, two, right = (*(f"vshrq_n_s32({v}, {before})" for v in (one, two)), _NARROWED)
    return f"AR_VECTOR_BOTH({one}, {two}, {right})"


def _right(how: Finish) -> int:
    return _shift(how.k, signed=how.signed)


def _shift(k: int, *, signed: bool) -> int:
    """The shift of outputs: sums are scaled by 256 where signs matter."""
    return k if signed else k - 8
