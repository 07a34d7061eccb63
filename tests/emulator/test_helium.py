"""What instructions of vectors read, write and occupy; encodings are those of clang's assembler."""

import pytest

from arenite.emulator.instruction import Q0
from arenite.emulator.t32 import wide

Q1, Q2, Q3 = Q0 + 1, Q0 + 2, Q0 + 3


@pytest.mark.parametrize(
    ("name", "words", "kind", "writes", "reads"),
    [
        ("vldrb.u8 q2, [r7], #32", (0xECB7, 0x5E20), "memory", {Q2}, {7}),
        ("vldrb.s32 q1, [r3, #4]", (0xED93, 0x2F04), "memory", {Q1}, {3}),
        ("vstrb.32 q1, [r4]", (0xED84, 0x2F00), "memory", set(), {Q1, 4}),
        ("vldrb.u8 q1, [r4, q2]", (0xFC94, 0x2E04), "memory", {Q1}, {4, Q2}),
        ("vmladava.s8 r10, q3, q2", (0xEEF6, 0xAF24), "product", {10}, {10, Q2, Q3}),
        ("vmlaldava.s16 r2, r3, q1, q0", (0xEE92, 0x2E20), "product", {2, 3}, {2, 3, Q0, Q1}),
        ("vaddva.s8 r2, q1", (0xEEF1, 0x2F22), "plain", {2}, {2, Q1}),
        ("vmul.i32 q1, q2, q3", (0xEF24, 0x2956), "product", {Q1}, {Q2, Q3}),
        ("vmulh.s32 q2, q2, q3", (0xEE25, 0x4E07), "product", {Q2}, {Q2, Q3}),
        ("vqrdmulh.s32 q0, q1, q2", (0xFF22, 0x0B44), "product", {Q0}, {Q1, Q2}),
        ("vrmulh.s32 q0, q1, q2", (0xEE23, 0x1E05), "product", {Q0}, {Q1, Q2}),
        ("vmullb.s16 q0, q1, q2", (0xEE13, 0x0E04), "product", {Q0}, {Q1, Q2}),
        ("vmla.s32 q0, q1, r3", (0xEE23, 0x0E43), "product", {Q0}, {Q0, Q1, 3}),
        ("vadd.i32 q1, q2, r4", (0xEE25, 0x2F44), "plain", {Q1}, {Q2, 4}),
        ("vadd.i32 q1, q2, q3", (0xEF24, 0x2846), "plain", {Q1}, {Q2, Q3}),
        ("vmax.s32 q2, q2, q1", (0xEF24, 0x4642), "plain", {Q2}, {Q1, Q2}),
        ("vshl.s32 q2, r2", (0xEE39, 0x5E62), "plain", {Q2}, {Q2, 2}),
        ("vshl.i32 q2, q1, #8", (0xEFA8, 0x4552), "plain", {Q2}, {Q1}),
        ("vmov.i32 q0, #127", (0xEF87, 0x005F), "plain", {Q0}, set()),
        ("vmov q0[2], q0[0], r4, r6", (0xEC16, 0x0F04), "plain", {Q0}, {Q0, 4, 6}),
        ("vmov.32 q1[1], r5", (0xEE22, 0x5B10), "plain", {Q1}, {Q1, 5}),
        ("vdup.32 q3, r2", (0xEEA6, 0x2B10), "plain", {Q3}, {2}),
        ("vctp.32 r3", (0xF023, 0xE801), "plain", set(), {3}),
    ],
)
def test_of_vectors(name, words, kind, writes, reads):
    found = wide(*words)
    assert (found.kind, found.is_vector) == (kind, True)
    assert (set(found.writes), set(found.reads)) == (writes, reads)


def test_what_changes_the_lanes_that_count_is_known():
    masks = [(0xFE71, 0x0F4D), (0xF023, 0xE801), (0xF000, 0xE001)]  # VPST, VCTP, DLSTP
    assert all(wide(*words).is_mask for words in masks)
    assert not wide(0xF044, 0xE001).is_mask  # DLS
