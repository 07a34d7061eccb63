"""Rules for operators on bits, by arithmetic of int32; see :mod:`arenite.optimize.lowerings`.

Facts: LiteRT's ``kernels/right_shift.cc`` (steps below 0 or beyond the last bit are those ends; the
sign moves in), ``bitwise_xor.cc``; TFLM's ``kernels/div.cc``, which rounds int32 to zero.
"""

from __future__ import annotations

import numpy as np

from arenite.model import TensorType
from arenite.model.types import FLOAT32, INT8
from arenite.optimize.parts import Parts

INT16, INT32 = TensorType.INT16, TensorType.INT32
_BITS = {INT8: 8, INT16: 16, INT32: 32}
#: The largest power of two that an int32 holds; and of the sums that floats hold, with room.
_LAST, _LANE = 30, 16


def right_shift(parts: Parts) -> None:
    """The quotient by a power of two, rounded down; equal bits."""
    bits, shape = _bits_of(parts), parts.y.shape
    steps = parts.edit.constant(parts.operator, 1)
    x = _wide(parts, 0)
    if steps is None:
        found = _clamped(parts, _wide(parts, 1), bits)
        for table in _divisors(np.arange(bits)):
            x = _quotient(parts, x, _entry(parts, table, found), shape)
    else:
        for divisors in _divisors(np.clip(steps.astype(np.int64), 0, bits - 1)):
            if divisors.max() > 1 or not parts.operators:
                x = _quotient(parts, x, parts.value(divisors), shape)
    _narrow(parts)


def bitwise_xor(parts: Parts) -> None:
    """Where the sum of two bits is odd, bit by bit; equal bits."""
    bits, size = _bits_of(parts), parts.y.size
    powers = parts.value((1 << np.arange(min(bits, _LAST + 1))).astype(np.int32))
    sides = [_each_bit(parts, number, powers, bits) for number in (0, 1)]
    shape = (size, bits)
    total = _run(parts, "ADD", *sides, shape=shape)
    half = _run(parts, "DIV", total, parts.told(2), shape=shape)
    odd = _run(parts, "SUB", total, _run(parts, "ADD", half, half, shape=shape), shape=shape)
    odd = parts.run("CAST", _run(parts, "MUL", odd, odd, shape=shape), shape=shape, kind=FLOAT32)
    lanes = [_lane(parts, odd, begin, bits) for begin in range(0, bits, _LANE)]
    found = lanes[-1]
    if len(lanes) > 1:
        above = _run(parts, "MUL", found, parts.told(1 << _LANE), shape=(size,))
        found = _run(parts, "ADD", above, lanes[0], shape=(size,))
    _run(parts, "RESHAPE", found, parts.told(parts.y.shape), shape=parts.y.shape)
    _narrow(parts)


def _bits_of(parts: Parts) -> int:
    parts.require(parts.y.type in _BITS, f"it is of {parts.y.type}")
    return _BITS[parts.y.type]


def _run(parts: Parts, name: str, *inputs: int, shape: tuple[int, ...]) -> int:
    return parts.run(name, *inputs, shape=shape, kind=INT32)


def _wide(parts: Parts, number: int) -> int:
    """An input as int32."""
    x = parts.input(number)
    if parts.y.type is INT32:
        return x
    return _run(parts, "CAST", x, shape=parts.shape(number))


def _narrow(parts: Parts) -> None:
    """The last result, in the output's own type."""
    if parts.y.type is not INT32:
        parts.run("CAST", parts.operators[-1].outputs[0])


def _clamped(parts: Parts, steps: int, bits: int) -> int:
    shape = parts.shape(1)
    above = _run(parts, "MAXIMUM", steps, parts.told(0), shape=shape)
    return _run(parts, "MINIMUM", above, parts.told(bits - 1), shape=shape)


def _entry(parts: Parts, table: np.ndarray, index: int) -> int:
    """Of a table of powers of two: as floats, since TFLM's GATHER takes no int32."""
    shape, powers = parts.shape(1), parts.value(table.astype(np.float32))
    power = parts.run("GATHER", powers, index, shape=shape, kind=FLOAT32)
    return _run(parts, "CAST", power, shape=shape)


def _divisors(steps: np.ndarray) -> list[np.ndarray]:
    """Powers of two to divide by, one after the other: an int32 has none of 31 bits."""
    first = np.minimum(steps, _LAST)
    rest = steps - first
    return [(1 << one).astype(np.int32) for one in ((first, rest) if rest.any() else (first,))]


def _quotient(parts: Parts, x: int, divisor: int, shape: tuple[int, ...]) -> int:
    """Rounded down: one less than what is rounded to zero where something negative is left."""
    quotient = _run(parts, "DIV", x, divisor, shape=shape)
    left = _run(parts, "SUB", x, _run(parts, "MUL", quotient, divisor, shape=shape), shape=shape)
    below = parts.run("LESS", left, parts.told(0), shape=shape, kind=TensorType.BOOL)
    return _run(parts, "SUB", quotient, _run(parts, "CAST", below, shape=shape), shape=shape)


def _each_bit(parts: Parts, number: int, powers: int, bits: int) -> int:
    """An input in a column, moved right by none to all of its bits."""
    count = int(np.prod(parts.shape(number), dtype=np.int64))
    parts.require(count in (1, parts.y.size), f"input {number} is repeated along some axes")
    column, last = (count, 1), (count, min(bits, _LAST + 1))
    x = _run(parts, "RESHAPE", _wide(parts, number), parts.told(column), shape=column)
    moved = _quotient(parts, x, powers, last)
    if bits == last[1]:
        return moved
    below = parts.run("LESS", x, parts.told(0), shape=column, kind=TensorType.BOOL)
    sign = _run(parts, "CAST", below, shape=column)  # odd where the last bit is set
    return parts.run("CONCATENATION", moved, sign, shape=(count, bits), kind=INT32, axis=1)


def _lane(parts: Parts, odd: int, begin: int, bits: int) -> int:
    """The number that up to 16 of all bits make, with a sign if the last one is among them."""
    size, count = parts.y.size, min(_LANE, bits)
    own = odd
    if count < bits:
        places = (parts.told(one) for one in ([0, begin], [size, count]))
        own = parts.run("SLICE", odd, *places, shape=(size, count), kind=FLOAT32)
    weights = np.exp2(np.arange(count))
    weights[-1] *= -1 if begin + count == bits else 1
    each = parts.run(
        "MUL", own, parts.value(weights.astype(np.float32)), shape=(size, count), kind=FLOAT32
    )
    found = parts.run("SUM", each, parts.told([1]), shape=(size,), kind=FLOAT32)
    return _run(parts, "CAST", found, shape=(size,))
