"""Bytes that are moved: eight words with a load and a store of many registers.

Loads go upwards and every load comes before its store, so a target below its source may meet it.
"""

from __future__ import annotations

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.portable.moving import Move
from arenite.firmware.network.kernel import Routine, UnsupportedError

#: Registers that words pass through, in the order of memory.
_WORDS = [f"r{n}" for n in range(3, 11)]
#: So many loads and stores of them one after the other are no loop.
_UNROLLED = 4


def in_assembly(move: Move) -> Routine | None:
    """A move of words along one axis at most, as a function of ``x`` and ``y``."""
    if len(move.steps) > 1:
        return None
    try:
        text = code(move)
    except UnsupportedError:
        return None
    parameters = "const uint32_t *x", "uint32_t *y"
    pieces = f"{move.steps[0][0]} pieces of " if move.steps else ""
    about = f"{pieces}{move.bytes} bytes"
    return Routine("copy", parameters, text, language="s", about=about)


def code(move: Move) -> str:
    """The function."""
    a = Assembly(x="r0", y="r1", blocks="r2", pieces="r12")
    a("push {r4-r10, lr}")
    if move.start:
        a.add("x", move.start)
    if move.place:
        a.add("y", move.place)
    if move.steps:
        ((count, here, there),) = move.steps
        a.put("pieces", count)
        a(".piece:")
        _piece(a, move.bytes // 4)
        if here != move.bytes:
            a.add("x", here - move.bytes)
        if there != move.bytes:
            a.add("y", there - move.bytes)
        a("subs pieces, pieces, #1", "bne .piece")
    else:
        _piece(a, move.bytes // 4)
    a("pop {r4-r10, pc}")
    return a.text()


def _piece(a: Assembly, words: int) -> None:
    """Words of one piece, behind which both pointers point then."""
    many, rest = divmod(words, len(_WORDS))
    if many > _UNROLLED:
        a.put("blocks", many)
        a(".words:")
        _words(a, len(_WORDS))
        a("subs blocks, blocks, #1", "bne .words")
    else:
        for _ in range(many):
            _words(a, len(_WORDS))
    if rest:
        _words(a, rest)


def _words(a: Assembly, count: int) -> None:
    if count == 1:
        a("ldr r3, [x], #4", "str r3, [y], #4")
        return
    words = ", ".join(_WORDS[:count])
    a(f"ldm x!, {{{words}}}", f"stm y!, {{{words}}}")
