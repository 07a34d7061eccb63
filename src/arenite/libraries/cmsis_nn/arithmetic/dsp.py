"""The DSP instructions of Cortex-M4, M7 and M33, on arrays of lanes.

A lane is a 32-bit register. Functions take integers or arrays, which broadcast, and return
int32 arrays; arithmetic wraps as the processor's does. ``count`` notes how often each
instruction ran: once per lane of its result.

Facts: Arm Architecture Reference Manual for Armv7-M; CMSIS-NN
``Include/Internal/arm_nn_compiler.h``.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

Register = npt.NDArray[np.int32]
#: How often each instruction ran, by its mnemonic.
Count = Counter[str]

_LOW = np.int32(0xFFFF)
_HIGH = np.int32(-0x10000)


def register(x: npt.ArrayLike) -> Register:
    """Integers as registers: their low 32 bits."""
    lanes = np.asarray(x)
    return lanes if lanes.dtype == np.int32 else lanes.astype(np.int64).astype(np.int32)


def bottom(x: Register) -> npt.NDArray[np.int16]:
    """The low halves as signed numbers."""
    return x.astype(np.int16)


def top(x: Register) -> npt.NDArray[np.int16]:
    """The high halves as signed numbers."""
    return (x >> 16).astype(np.int16)


def pack(high: npt.NDArray[np.int16], low: npt.NDArray[np.int16]) -> Register:
    """Registers of two halves."""
    return _register(high.astype(np.int32) << 16 | low.astype(np.int32) & _LOW)


# -- halves -----------------------------------------------------------------------------


def pkhbt(x: npt.ArrayLike, y: npt.ArrayLike, shift: int, count: Count) -> Register:
    """PKHBT: the low half of ``x``, and the high half of ``y << shift``.

    >>> hex(pkhbt(5, 5, 16, Counter()))
    '0x50005'
    """
    return _done("PKHBT", register(x) & _LOW | (register(y) << shift) & _HIGH, count)


def ror(x: npt.ArrayLike, bits: int, count: Count) -> Register:
    """ROR: rotated right."""
    return _done("ROR", _rotated(register(x), bits), count)


def sxtb16(x: npt.ArrayLike, count: Count, rotate: int = 0) -> Register:
    """SXTB16: bytes 0 and 2, after a rotation by ``rotate`` bits, as two int16.

    >>> hex(sxtb16(0x04030201, Counter())), hex(sxtb16(0x04030201, Counter(), 8))
    ('0x30001', '0x40002')
    """
    return _done("SXTB16", pack(*_bytes(x, rotate)), count)


def sxtab16(acc: npt.ArrayLike, x: npt.ArrayLike, count: Count, rotate: int = 0) -> Register:
    """SXTAB16: bytes 0 and 2 of ``x`` as two int16, added to the halves of ``acc``."""
    added, (high, low) = register(acc), _bytes(x, rotate)
    with np.errstate(over="ignore"):
        return _done("SXTAB16", pack(top(added) + high, bottom(added) + low), count)


# -- products ---------------------------------------------------------------------------


def smlad(x: npt.ArrayLike, y: npt.ArrayLike, acc: npt.ArrayLike, count: Count) -> Register:
    """SMLAD: the products of both halves, added to ``acc``.

    >>> smlad(0x00020003, 0x00050007, 100, Counter()) == 100 + 2 * 5 + 3 * 7
    np.True_
    """
    a, b = register(x), register(y)
    low = np.multiply(bottom(a), bottom(b), dtype=np.int32)
    high = np.multiply(top(a), top(b), dtype=np.int32)
    with np.errstate(over="ignore"):
        return _done("SMLAD", register(acc) + low + high, count)


def mla(x: npt.ArrayLike, y: npt.ArrayLike, acc: npt.ArrayLike, count: Count) -> Register:
    """MLA: one product of 32 bits, added to ``acc``; every Cortex-M can do it."""
    with np.errstate(over="ignore"):
        return _done("MLA", register(acc) + register(x) * register(y), count)


def smlal(
    acc: npt.ArrayLike, x: npt.ArrayLike, y: npt.ArrayLike, count: Count
) -> npt.NDArray[np.int64]:
    """SMLAL: one product of 64 bits, added to the 64 bits of ``acc``."""
    wide = np.multiply(register(x), register(y), dtype=np.int64)
    with np.errstate(over="ignore"):
        total = np.asarray(acc, np.int64) + wide
    _note("SMLAL", total.size, count)
    return np.asarray(total)


# -- inside -----------------------------------------------------------------------------


def _bytes(x: npt.ArrayLike, rotate: int) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Bytes 2 and 0 of rotated registers, sign-extended."""
    turned = _rotated(register(x), rotate)
    return (turned >> 16).astype(np.int8).astype(np.int16), turned.astype(np.int8).astype(np.int16)


def _rotated(x: Register, bits: int) -> Register:
    if bits % 32 == 0:
        return x
    unsigned = x.astype(np.uint32)
    return _register((unsigned >> np.uint32(bits)) | (unsigned << np.uint32(32 - bits)))


def _register(x: npt.NDArray[np.integer]) -> Register:
    return np.asarray(x).astype(np.int32)


def _done(name: str, lanes: npt.NDArray[np.integer], count: Count) -> Register:
    result = np.asarray(lanes, np.int32)
    _note(name, result.size, count)
    return result


def _note(name: str, lanes: int, count: Count) -> None:
    if lanes:  # a Counter would keep the name of what never ran
        count[name] += lanes
