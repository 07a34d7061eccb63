"""Instructions of a Cortex-M55 decoded, as far as the rule of cycles asks.

Facts: Armv8-M Architecture Reference Manual, chapter C2 (encodings of T32).
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.emulator.helium import extension
from arenite.emulator.instruction import LR, PC, SP, Instruction, Kind, known, many, one

# -- 16 bits ------------------------------------------------------------------------------


def narrow(word: int) -> Instruction:
    """An instruction of 16 bits."""
    return _NARROW[word >> 12](word)


def _shift(word: int) -> Instruction:
    reads: tuple[int, ...] = (word >> 3 & 7,)
    if word >> 10 == 0b000110:
        reads += (word >> 6 & 7,)
    return Instruction(2, writes=(word & 7,), reads=reads)


def _immediate(word: int) -> Instruction:
    own, what = (word >> 8 & 7,), word >> 11 & 3
    return Instruction(2, writes=() if what == 1 else own, reads=() if what == 0 else own)


def _data(word: int) -> Instruction:
    if word >> 11 == 0b01001:
        return Instruction(2, "memory", writes=(word >> 8 & 7,))
    if word >> 10 == 0b010001:
        return _high(word)
    own, other, what = word & 7, word >> 3 & 7, word >> 6 & 15
    if what in (8, 10, 11):  # TST, CMP, CMN
        return Instruction(2, reads=(own, other))
    reads = (other,) if what in (9, 15) else (own, other)  # RSB, MVN
    return Instruction(2, "product" if what == 13 else "plain", (own,), reads)


def _high(word: int) -> Instruction:
    own, other, what = word & 7 | word >> 4 & 8, word >> 3 & 15, word >> 8 & 3
    if what == 3:
        return Instruction(2, "branch", reads=(other,))
    reads = (other,) if what == 2 else (own, other)
    return Instruction(2, writes=() if what == 1 else (own,), reads=reads)


def _offset(word: int) -> Instruction:
    reads = (word >> 3 & 7, word >> 6 & 7)
    return one(2, word & 7, reads, loads=(word >> 9 & 7) >= 3)


def _fixed(word: int) -> Instruction:
    return one(2, word & 7, (word >> 3 & 7,), loads=bool(word >> 11 & 1))


def _stacked(word: int) -> Instruction:
    return one(2, word >> 8 & 7, (SP,), loads=bool(word >> 11 & 1))


def _address(word: int) -> Instruction:
    return Instruction(2, writes=(word >> 8 & 7,), reads=(SP,) if word >> 11 & 1 else ())


def _other(word: int) -> Instruction:
    if word >> 8 == 0b10110000:
        return Instruction(2, writes=(SP,), reads=(SP,))
    if word & 0xF500 == 0xB100:
        return Instruction(2, "branch", reads=(word & 7,))
    if word & 0xF600 == 0xB400:
        loads = bool(word >> 11 & 1)
        extra = (PC if loads else LR) if word >> 8 & 1 else None
        return many(2, word & 0xFF | (1 << extra if extra else 0), SP, loads=loads, moves=True)
    if word >> 8 in (0b10110010, 0b10111010):
        return Instruction(2, writes=(word & 7,), reads=(word >> 3 & 7,))
    return Instruction(2)


def _multiple(word: int) -> Instruction:
    return many(2, word & 0xFF, word >> 8 & 7, loads=bool(word >> 11 & 1), moves=True)


def _branch(word: int) -> Instruction:
    bits = 11 if word >> 12 == 0b1110 else 8
    return Instruction(2, "branch", jump=_back(word << 1, bits + 1))


_NARROW: tuple[Callable[[int], Instruction], ...] = (
    *(_shift, _shift, _immediate, _immediate, _data, _offset, _fixed, _fixed),
    *(_fixed, _stacked, _address, _other, _multiple, _branch, _branch, _branch),
)


# -- 32 bits ------------------------------------------------------------------------------


def wide(first: int, second: int) -> Instruction:
    """An instruction of 32 bits."""
    if first & 0xEC00 == 0xEC00:
        return extension(first, second)
    top = first >> 9
    if top == 0b1110100:
        return _several(first, second)
    if top == 0b1110101:
        return _computed(first, second, (first & 15, second & 15))
    if first >> 11 == 0b11110:
        return _control(first, second) if second & 0x8000 else _constant(first, second)
    if top == 0b1111100:
        return _single(first, second)
    if first >> 8 == 0xFA:
        return _computed(first, second, (first & 15, second & 15))
    return _product(first, second)


def _several(first: int, second: int) -> Instruction:
    """LDM and STM, LDRD and STRD, exclusive access, TBB."""
    base, loads, moves = first & 15, bool(first & 0x10), bool(first & 0x20)
    if not first & 0x40:
        return many(4, second, base, loads=loads, moves=moves)
    if first & 0x120:
        pair = 1 << (second >> 12) | 1 << (second >> 8 & 15)
        return many(4, pair, base, loads=loads, moves=moves)
    if first & 0xFFF0 == 0xE8D0 and second & 0xFFE0 == 0xF000:
        return Instruction(4, "branch", reads=(base, second & 15))
    return one(4, second >> 12, (base,), loads=loads)


def _computed(first: int, second: int, reads: tuple[int, ...]) -> Instruction:
    """Of two registers; 15 is none."""
    writes = known(second >> 8 & 15)
    if first & 0xFFF0 == 0xEA50 and second & 15 in (SP, PC) and second & 0xF00 != 0xF00:
        pair = (first & 14, second >> 8 & 15)  # LSLL and its kin
        return Instruction(4, writes=pair, reads=pair)
    return Instruction(4, writes=writes, reads=known(*reads))


def _constant(first: int, second: int) -> Instruction:
    own = second >> 8 & 15
    if first & 0xFBF0 == 0xF240:  # MOVW
        return Instruction(4, writes=(own,))
    if first & 0xFBF0 in (0xF2C0, 0xF360):  # MOVT, BFI
        return Instruction(4, writes=(own,), reads=known(own, first & 15 if first & 0x20 else 15))
    return Instruction(4, writes=known(own), reads=known(first & 15))


def _control(first: int, second: int) -> Instruction:
    """Branches, loops, VCTP, and what moves special registers."""
    if first & 0xFF80 == 0xF000 and second & 1 and second & 0xF000 in (0xC000, 0xE000):
        if second == 0xE801:
            return Instruction(4, reads=(first & 15,), is_vector=True, is_mask=True)
        if second & 0xF000 == 0xC000 and first & 15 == PC:
            return Instruction(4, "loop end", jump=4 - (second << 1 & 0xFFC | second >> 10 & 2))
        kind: Kind = "branch" if second & 0xF000 == 0xC000 else "plain"
        return Instruction(4, kind, writes=(LR,), reads=known(first & 15), is_mask=not first & 0x40)
    if second & 0xD000 in (0x9000, 0xD000):
        writes = (LR,) if second & 0x4000 else ()
        back = _back(first << 12 | second << 1 & 0xFFF, 23) if first & 0x400 else 0
        return Instruction(4, "branch", writes=writes, jump=back)
    if second & 0xD000 == 0x8000 and first >> 7 & 7 != 7:
        back = _back(first << 12 | second << 1 & 0xFFF, 18) if first & 0x400 else 0
        return Instruction(4, "branch", jump=back)
    return Instruction(4)


def _single(first: int, second: int) -> Instruction:
    """A load or store of one register."""
    indexed = not first & 0x80 and first & 15 != PC
    reads: tuple[int, ...] = (first & 15,)
    if indexed and not second & 0xFC0:
        reads += (second & 15,)
    moves = indexed and second & 0x900 == 0x900
    found = one(4, second >> 12, reads, loads=bool(first & 0x10))
    return Instruction(4, found.kind, found.writes, found.reads, moved=first & 15 if moves else -1)


def _product(first: int, second: int) -> Instruction:
    """Products and divisions."""
    reads = (first & 15, second & 15)
    high, low = second >> 8 & 15, second >> 12
    if not first & 0x80:
        return Instruction(4, "product", (high,), known(*reads, low), low if low != 15 else -1)
    if first & 0xFFD0 == 0xFB90 and second & 0xF0 == 0xF0:
        return Instruction(4, "division", (high,), reads)
    sums = (low, high) if first & 0x40 else ()
    return Instruction(4, "product", (low, high), reads + sums)


def _back(offset: int, bits: int) -> int:
    """Where a branch leads from its own address, of an offset in the lowest bits; 0 for ahead."""
    offset &= (1 << bits) - 1
    return offset - (1 << bits) + 4 if offset >> (bits - 1) else 0
