"""Instructions of assembly, counted from its text."""

import pytest

from arenite.firmware.kernels.cortex_m.asm_cycles import count_of
from arenite.firmware.network.kernel import UnsupportedError

LOOP = """
f:
    push {r4-r5, lr}
    sub sp, sp, #4
    str r1, [sp, #0]
.Lf_turn:
    ldr r4, [r0], #4
    ldr r5, [r0], #4
    smlad r4, r4, r5, r4
    ldr r1, [sp, #0]
    subs r1, r1, #1
    str r1, [sp, #0]
    bne .Lf_turn
    add sp, sp, #4
    pop {r4-r5, pc}
"""


def test_a_loop_is_counted_as_often_as_it_turns():
    assert [count_of(LOOP, [0x20000000, turns]).instructions for turns in (1, 2, 10)] == [
        12,
        19,
        75,
    ]


def test_cycles_follow_the_rule_of_pieces():
    # 7 instructions; loads 1, half and 1 more; a taken branch 2
    one, two = (count_of(LOOP, [0x20000000, turns]).cycles for turns in (9, 11))
    assert two - one == 2 * 7 + 5 + 4


def test_pointers_are_compared():
    text = (
        LOOP.replace("ldr r1, [sp, #0]", "add r1, r0, #0")
        .replace("subs r1, r1, #1", "cmp r1, r2")
        .replace("    str r1, [sp, #0]\n    bne", "    blo")
    )
    assert count_of(text, [100, 0, 140]).instructions == 3 + 6 * 5 + 2


def test_a_fifth_argument_lies_on_the_stack():
    text = LOOP.replace("str r1, [sp, #0]\n.L", "ldr r1, [sp, #16]\n    str r1, [sp, #0]\n.L")
    assert count_of(text, [0, 0, 0, 0, 2]).instructions == 20


def test_numbers_may_be_hexadecimal():
    text = LOOP.replace("smlad r4, r4, r5, r4", "mov r4, #0x80808080")
    assert count_of(text, [0x20000000, 2]).instructions == 19


def test_what_memory_steers_is_refused():
    with pytest.raises(UnsupportedError, match="what it reads from memory steers it"):
        count_of(LOOP.replace("subs r1, r1, #1", "subs r4, r4, #1"), [0, 3])
    with pytest.raises(UnsupportedError, match="bl cannot be followed"):
        count_of(LOOP.replace("smlad r4, r4, r5, r4", "bl g"), [0, 3])
