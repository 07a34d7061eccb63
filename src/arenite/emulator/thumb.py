"""Instructions and cycles of a straight piece of Thumb-2 code.

Cycles are ``arenite cost``'s rule (``libraries/cmsis_nn/cost/tables/README.md``), so that both can
be compared: one per instruction; a load takes one more, or half a one where it follows a load; each
register of a multiple load or store one; a division five; a taken branch two. Memory never waits.

Facts: Armv7-M Architecture Reference Manual, chapter A5 (encodings).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

#: Of a branch that is taken, in half cycles.
TAKEN = 4
#: Beyond an instruction's own, in half cycles.
DIVISION = 10


class Piece(NamedTuple):
    """Cost of a piece of code: its instructions, and its cycles times two.

    ``always_leaves``: it ends with a branch that has no condition, whose cycles are in.
    """

    instructions: int
    half_cycles: float
    always_leaves: bool


class _One(NamedTuple):
    """An instruction: extra half cycles; whether it loads one value, and always branches."""

    extra: int = 0
    loads: bool = False
    leaves: bool = False


def piece_of(code: bytes) -> Piece:
    """The cost of code that runs from its first byte to its last."""
    count, halves, after_load, leaves = 0, 0, False, False
    for one in _decoded(code):
        count += 1
        halves += 2 + one.extra
        if one.loads:
            halves += 1 if after_load else 2
        after_load, leaves = one.loads, one.leaves
    return Piece(count, halves + (TAKEN if leaves else 0), leaves)


def always_leaves(code: bytes) -> bool:
    """Whether code ends with a branch that has no condition."""
    return piece_of(code).always_leaves


def _decoded(code: bytes) -> Iterator[_One]:
    at = 0
    while at + 2 <= len(code):
        (first,) = struct.unpack_from("<H", code, at)
        if first >> 11 < 0b11101:
            yield _narrow(first)
            at += 2
            continue
        if at + 4 > len(code):
            return
        yield _wide(first, *struct.unpack_from("<H", code, at + 2))
        at += 4


def _narrow(word: int) -> _One:
    """A 16-bit instruction."""
    top = word >> 12
    if word >> 11 == 0b01001:
        return _One(loads=True)
    if top == 0b0101:
        return _One(loads=(word >> 9 & 7) >= 3)
    if top in (0b0110, 0b0111, 0b1000, 0b1001):
        return _One(loads=bool(word >> 11 & 1))
    if top == 0b1011 and word >> 9 & 3 == 2:
        return _One(extra=2 * bin(word & 0x1FF).count("1"), leaves=word >> 8 == 0b10111101)
    if top == 0b1100:
        return _One(extra=2 * bin(word & 0xFF).count("1"))
    return _One(leaves=word >> 11 == 0b11100 or word >> 8 == 0b01000111)


def _wide(first: int, second: int) -> _One:
    """A 32-bit instruction."""
    if first & 0xFE40 == 0xE800:
        registers = bin(second).count("1")
        return _One(extra=2 * registers, leaves=bool(first & 0x10 and second & 0x8000))
    if first & 0xFE40 == 0xE840:
        pair = first & 0x0120  # LDRD and STRD; the rest is exclusive access and table branches
        return _One(extra=4) if pair else _One(loads=bool(first & 0x10))
    if first & 0xFE00 == 0xF800:
        return _One(loads=bool(first & 0x10))
    if first & 0xFFD0 == 0xFB90 and second & 0xF0F0 == 0xF0F0:
        return _One(extra=DIVISION)
    if first & 0xF800 == 0xF000 and second & 0x8000:
        return _One(leaves=bool(second & 0x1000))
    return _One()
