"""What instructions read, write and occupy; encodings are those of clang's assembler."""

import pytest

from arenite.emulator.instruction import LR, PC, Q0, SP
from arenite.emulator.t32 import narrow, wide


@pytest.mark.parametrize(
    ("name", "word", "kind", "writes", "reads"),
    [
        ("adds r2, r1, r0", 0x180A, "plain", {2}, {1, 0}),
        ("cmp r3, #7", 0x2B07, "plain", set(), {3}),
        ("muls r1, r2, r1", 0x4351, "product", {1}, {1, 2}),
        ("mov r8, r1", 0x4688, "plain", {8}, {1}),
        ("ldr r2, [r1, r3]", 0x58CA, "memory", {2}, {1, 3}),
        ("str r2, [sp, #8]", 0x9202, "memory", set(), {2, SP}),
        ("push {r4-r7, lr}", 0xB5F0, "memory", set(), {4, 5, 6, 7, LR, SP}),
        ("pop {r4, pc}", 0xBD10, "branch", {4}, {SP}),
        ("bne", 0xD1C3, "branch", set(), set()),
    ],
)
def test_of_16_bits(name, word, kind, writes, reads):
    found = narrow(word)
    assert (found.size, found.kind, found.is_vector) == (2, kind, False)
    assert (set(found.writes) - {PC}, set(found.reads)) == (writes, reads)


@pytest.mark.parametrize(
    ("name", "words", "kind", "writes", "reads"),
    [
        ("ldrd r2, r3, [r0], #8", (0xE8F0, 0x2302), "memory", {2, 3}, {0}),
        ("ldr r2, [r1, #4]!", (0xF851, 0x2F04), "memory", {2}, {1}),
        ("mla r0, r1, r2, r3", (0xFB01, 0x3002), "product", {0}, {1, 2, 3}),
        ("smlal r0, r1, r2, r3", (0xFBC2, 0x0103), "product", {0, 1}, {0, 1, 2, 3}),
        ("sdiv r0, r1, r2", (0xFB91, 0xF0F2), "division", {0}, {1, 2}),
        ("movt r3, #1", (0xF2C0, 0x0301), "plain", {3}, {3}),
        ("bfi r0, r1, #0, #8", (0xF361, 0x0007), "plain", {0}, {0, 1}),
        ("add.w r0, r1, r2, lsl #2", (0xEB01, 0x0082), "plain", {0}, {1, 2}),
        ("lsll r2, r3, #4", (0xEA52, 0x130F), "plain", {2, 3}, {2, 3}),
        ("dls lr, r4", (0xF044, 0xE001), "plain", {LR}, {4}),
        ("bl", (0xF7FF, 0xFFC2), "branch", {LR}, set()),
        ("vadd.f32 s0, s1, s2", (0xEE30, 0x0A81), "float", {Q0}, {Q0}),
        ("vfma.f32 s0, s4, s8", (0xEEA2, 0x0A04), "float", {Q0}, {Q0, Q0 + 1, Q0 + 2}),
        ("vldr s5, [r1]", (0xEDD1, 0x2A00), "memory", {Q0 + 1}, {1}),
        ("vpush {d8-d9}", (0xED2D, 0x8B04), "memory", set(), {Q0 + 4, SP}),
        ("vmov r0, s4", (0xEE12, 0x0A10), "float", {0}, {Q0 + 1}),
    ],
)
def test_of_32_bits(name, words, kind, writes, reads):
    found = wide(*words)
    assert (found.size, found.kind, found.is_vector) == (4, kind, False)
    assert (set(found.writes), set(found.reads)) == (writes, reads)


def test_a_loop_s_end_knows_where_it_leads():
    le, letp = wide(0xF00F, 0xC803), wide(0xF01F, 0xC807)
    assert [(one.kind, one.jump) for one in (le, letp)] == [("loop end", -2), ("loop end", -10)]


def test_branches_know_where_they_lead_if_it_is_behind_them():
    assert narrow(0xD1C3).jump == -118
    assert narrow(0xE7FE).jump == 0  # to itself
    assert narrow(0xD102).jump == 0
    assert wide(0xF7FF, 0xFFC2).jump == -120


def test_an_addend_is_known():
    assert wide(0xFB01, 0x3002).addend == 3
    assert wide(0xFB02, 0xF001).addend == -1  # mul
