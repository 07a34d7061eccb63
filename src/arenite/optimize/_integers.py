"""Rules for arithmetic on int32, of which TFLM's kernels have a part; all with equal bits.

Facts: LiteRT ``kernels/floor_div.cc``, ``floor_mod.cc``, ``reduce.cc``; TFLM's DIV of int32
rounds to zero.
"""

from __future__ import annotations

from arenite.model import TensorType
from arenite.ops.shared.reduction import ReducerOptions
from arenite.optimize.parts import Parts

INT32, BOOL = TensorType.INT32, TensorType.BOOL
#: The most dimensions of TFLM's SLICE.
_MOST_DIMENSIONS = 5


def floor_div(parts: Parts) -> None:
    """DIV, and 1 less where something of the other sign is left."""
    quotient, _, is_less = _divided(parts)
    parts.run("SUB", quotient, is_less)


def floor_mod(parts: Parts) -> None:
    """The rest of DIV, and the divisor more where it has the other sign."""
    _, rest, is_less = _divided(parts)
    more = parts.run("MUL", is_less, parts.input(1))
    parts.run("ADD", rest, more)


def _divided(parts: Parts) -> tuple[int, int, int]:
    """Quotient to zero, its rest, and 1 where the rest has the other sign than the divisor."""
    parts.require(parts.y.type is INT32, f"it is of {parts.y.type}")
    divisor = parts.constant(1)
    parts.require(bool((divisor != 0).all()), "its divisor may be 0")
    zero = parts.told(0)
    quotient = parts.run("DIV", parts.input(0), parts.input(1))
    whole = parts.run("MUL", quotient, parts.input(1))
    rest = parts.run("SUB", parts.input(0), whole)
    sides = parts.run("LESS", rest, zero, kind=BOOL), parts.value(divisor < 0)
    is_other = parts.run("NOT_EQUAL", *sides, kind=BOOL)
    is_left = parts.run("NOT_EQUAL", rest, zero, kind=BOOL)
    both = parts.run("LOGICAL_AND", is_other, is_left, kind=BOOL)
    return quotient, rest, parts.run("CAST", both, kind=INT32)


def largest(parts: Parts) -> None:
    """MAXIMUM of halves, until one is left."""
    _folded(parts, "MAXIMUM")


def smallest(parts: Parts) -> None:
    """MINIMUM of halves, until one is left."""
    _folded(parts, "MINIMUM")


def _folded(parts: Parts, name: str) -> None:
    parts.require(parts.y.type is INT32, f"it is of {parts.y.type}")
    shape = list(parts.shape(0))
    parts.require(0 < len(shape) <= _MOST_DIMENSIONS, "it has too many dimensions")
    parts.options(ReducerOptions)
    x = parts.input(0)
    for one in sorted({axis % len(shape) for axis in parts.integers(1)}):
        parts.require(shape[one] > 0, "it is empty")
        while shape[one] > 1:
            half = shape[one] // 2
            pieces = [_piece(parts, x, shape, (one, at, half)) for at in (0, half)]
            short = [half if axis == one else n for axis, n in enumerate(shape)]
            made = parts.run(name, *pieces, shape=short)
            if shape[one] % 2:
                last = _piece(parts, x, shape, (one, 2 * half, 1))
                short[one] += 1
                made = parts.run("CONCATENATION", made, last, shape=short, axis=one)
            x, shape = made, short
    parts.run("RESHAPE", x, parts.told(parts.y.shape))


def _piece(parts: Parts, x: int, shape: list[int], place: tuple[int, int, int]) -> int:
    """A slice along one axis: the axis, where it begins, how long it is."""
    axis, at, count = place
    begin = [at if one == axis else 0 for one in range(len(shape))]
    size = [count if one == axis else n for one, n in enumerate(shape)]
    return parts.run("SLICE", x, parts.told(begin), parts.told(size), shape=size)
