"""Instructions of floats and of vectors (Helium, MVE) decoded, as far as the rule of cycles asks.

Registers of floats count as the vectors that they are parts of; flags and predicates as nothing.

Facts: Armv8-M Architecture Reference Manual, chapter C2 (encodings of floats and MVE).
"""

from __future__ import annotations

from arenite.emulator.instruction import Q0, Instruction, Kind, known


def extension(first: int, second: int) -> Instruction:
    """An instruction of 32 bits, of floats or vectors."""
    if first & 0xFE00 == 0xEC00 and second & 0x0E00 == 0x0A00:
        return _float_memory(first, second)
    if first & 0xFFA0 == 0xEC00 and second & 0x1FE0 == 0x0F00:
        pair = (second & 15, first & 15)
        return _lanes(pair, Q0 + (second >> 13), reads=not first & 0x10)
    if first & 0xEE00 == 0xEC00:
        return _vector_memory(first, second)
    if first & 0xEF00 == 0xEE00 and second & 0x0E00 == 0x0A00:
        return _float_moved(first, second) if second & 0x10 else _float(first, second)
    return _vector(first, second)


def _float_memory(first: int, second: int) -> Instruction:
    wide_, base = bool(second & 0x100), first & 15
    if first & 0xFFE0 == 0xEC40:  # VMOV of two registers
        integers = (second >> 12, base)
        value = (_float_register(second & 15, second >> 5, wide_),)
        loads = bool(first & 0x10)
        return Instruction(
            4, "float", integers if loads else value, value if loads else integers, count=2
        )
    start = _float_number(second >> 12, first >> 6, wide_)
    is_one = first & 0x120 == 0x100
    count = 1 if is_one else (second & 0xFF) >> wide_
    own = tuple(dict.fromkeys(Q0 + (n >> (1 if wide_ else 2)) for n in range(start, start + count)))
    loads, moved = bool(first & 0x10), base if first & 0x20 else -1
    writes, reads = (own, (base,)) if loads else ((), (*own, base))
    return Instruction(4, "memory", writes, reads, moved=moved, count=count * (1 + wide_))


def _vector_memory(first: int, second: int) -> Instruction:
    """VLDR, VSTR, gathers and scatters, VLD2 and its kin."""
    own: tuple[int, ...] = (Q0 + (second >> 13),)
    loads, moves = bool(first & 0x10), bool(first & 0x20)
    narrows = not second & 0x1000 and first & 0x120  # to other lanes than those of memory
    base: tuple[int, ...] = (first & (7 if narrows else 15),)
    if not first & 0x120:
        base += (Q0 + (second >> 1 & 7),)
    moved = base[0] if moves else -1
    writes, reads = (own, base) if loads else ((), own + base)
    return Instruction(4, "memory", writes, reads, moved=moved, is_vector=True)


def _lanes(integers: tuple[int, ...], vector: int, *, reads: bool) -> Instruction:
    """VMOV between registers and lanes; whether it reads these."""
    if reads:
        return Instruction(4, writes=integers, reads=(vector,), is_vector=True)
    return Instruction(4, writes=(vector,), reads=(*integers, vector), is_vector=True)


def _float_moved(first: int, second: int) -> Instruction:
    """VDUP, and VMOV between a register and a lane or a float; VMRS."""
    integer = second >> 12
    if second & 0x100 and first & 0x80 and not first & 0x10:
        return Instruction(4, writes=(Q0 + (first >> 1 & 7),), reads=(integer,), is_vector=True)
    if second & 0x100:
        vector = Q0 + ((first & 15 | (second & 0x80) >> 3) >> 1)
        return _lanes((integer,), vector, reads=bool(first & 0x10))
    own = _float_register(first & 15, second >> 7, wide_=False)
    if first & 0xE0:
        return Instruction(4, "float", reads=known(integer))
    writes, reads = ((integer,), (own,)) if first & 0x10 else ((own,), (integer,))
    return Instruction(4, "float", writes, reads)


def _float(first: int, second: int) -> Instruction:
    """Arithmetic of floats."""
    wide_ = bool(second & 0x100)
    own = _float_register(second >> 12, first >> 6, wide_)
    one = _float_register(first & 15, second >> 7, wide_)
    two = _float_register(second & 15, second >> 5, wide_)
    what = first & 0xB0
    if first & 0x1000:
        return Instruction(4, "float", (own,), (one, two))
    if what in (0x00, 0x10, 0x90, 0xA0):  # sums of products
        return Instruction(4, "float", (own,), (own, one, two), count=_SUM)
    if what == 0x80 or (what == 0xB0 and first & 15 == 1 and second & 0xC0 == 0xC0):
        return Instruction(4, "float", (own,), (one, two), count=_QUOTIENT)
    return Instruction(4, "float", (own,), (two,) if what == 0xB0 else (one, two))


#: What ``count`` says of floats: cycles until there is a sum of products, a quotient or a root.
_SUM, _QUOTIENT = 4, 14


def _vector(first: int, second: int) -> Instruction:
    own, one, two = Q0 + (second >> 13), Q0 + (first >> 1 & 7), Q0 + (second >> 1 & 7)
    grouped = first & 0xEF00 == 0xEE00 and second & 0x0E00 == 0x0E00
    if (first, second & 0x1FFF) == (0xFE71, 0x0F4D) or (
        first & 0xFFB1 == 0xFE31 and second & 0x1FBF == 0x0F4D
    ):
        return Instruction(4, is_mask=True)  # VPST
    if grouped and first & 0x80 and second & 0x0070 in (0x00, 0x20) and not first & 1:
        return _reduced(first, second, (one, two), "product")
    if grouped and first & 0x8F & ~0xC == 0x81 and not second & 0x51:
        return _reduced(first, second, (two,), "plain")
    if grouped and second & 0x40 and not first & 0x80:
        return _by_scalar(first, second, own, one)
    if first & 0xEF80 == 0xEF80:
        is_constant = second & 0x10 and not first & 0x38  # VMOV, VMVN of one number
        return Instruction(4, writes=(own,), reads=() if is_constant else (two,), is_vector=True)
    reads = (own, one, two) if _accumulates(first, second) else (one, two)
    kind: Kind = "product" if _multiplies(first, second) else "plain"
    return Instruction(4, kind, (own,), reads, is_vector=True)


def _reduced(first: int, second: int, vectors: tuple[int, ...], kind: Kind) -> Instruction:
    """VMLADAV, VMLALDAV, VADDV: sums of all lanes in a register or two."""
    sums: tuple[int, ...] = (second >> 12 & 14,)
    if first & 0x70 != 0x70:
        sums += (first >> 3 & 14 | 1,)
    reads = vectors + (sums if second & 0x20 else ())
    return Instruction(4, kind, sums, reads, is_vector=True)


def _by_scalar(first: int, second: int, own: int, one: int) -> Instruction:
    """Of a vector and a register."""
    scalar = second & 15
    if first & 0x30 == 0x30 and second & 0x1F60 == 0x1E60:  # VSHL and its kin
        return Instruction(4, writes=(own,), reads=(own, scalar), is_vector=True)
    is_product = second & 0x0F00 == 0x0E00
    sums = (own,) if is_product and (second & 0x1060) != 0x1060 else ()
    kind: Kind = "product" if is_product else "plain"
    return Instruction(4, kind, (own,), (one, *sums, *known(scalar)), is_vector=True)


def _multiplies(first: int, second: int) -> bool:
    if first & 0xEF80 == 0xEF00:
        what = second & 0x0F50
        return what in (0x0950, 0x0B40, 0x0C50) or (first & 0x1000 > 0 and what == 0x0D50)
    return first & 0xEF81 == 0xEE01 and second & 0x0E50 == 0x0E00


def _accumulates(first: int, second: int) -> bool:
    return first & 0xEF80 == 0xEF00 and second & 0x0F50 == 0x0C50


def _float_number(four: int, bit: int, wide_: bool) -> int:
    return (bit & 1) << 4 | four & 15 if wide_ else (four & 15) << 1 | bit & 1


def _float_register(four: int, bit: int, wide_: bool) -> int:
    """The vector that a float is a part of."""
    return Q0 + (_float_number(four, bit, wide_) >> (1 if wide_ else 2))
