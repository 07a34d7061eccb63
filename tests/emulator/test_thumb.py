"""What straight Thumb-2 code costs."""

import struct

import pytest

from arenite.emulator.thumb import piece_of


def code(*halfwords: int) -> bytes:
    return struct.pack(f"<{len(halfwords)}H", *halfwords)


@pytest.mark.parametrize(
    ("name", "words", "instructions", "cycles"),
    [
        ("adds r0, r0, r1", [0x1840], 1, 1),
        ("ldr r2, [r0]", [0x6802], 1, 2),
        ("ldr r2, [r0]; ldr r3, [r0, #4]", [0x6802, 0x6843], 2, 3.5),
        ("str r2, [r0]", [0x6002], 1, 1),
        ("push {r4-r7, lr}", [0xB5F0], 1, 6),
        ("pop {r4, pc}", [0xBD10], 1, 5),
        ("bx lr", [0x4770], 1, 3),
        ("beq", [0xD0FE], 1, 1),
        ("b", [0xE7FE], 1, 3),
        ("ldm.w r1!, {r4, r6, r8, r10}", [0xE8B1, 0x0550], 1, 5),
        ("ldrd r2, r3, [r0]", [0xE9D0, 0x2300], 1, 3),
        ("ldr.w r12, [r1, #8]", [0xF8D1, 0xC008], 1, 2),
        ("strb.w r8, [lr, #1]", [0xF88E, 0x8001], 1, 1),
        ("sdiv r0, r0, r1", [0xFB90, 0xF0F1], 1, 6),
        ("smlad r4, r12, r2, r4", [0xFB2C, 0x4402], 1, 1),
        ("smmla r4, r4, r0, r2", [0xFB54, 0x2400], 1, 1),
        ("bl", [0xF000, 0xF800], 1, 3),
        ("bne.w", [0xF47F, 0xAFFE], 1, 1),
    ],
)
def test_the_cost_of_an_instruction(name, words, instructions, cycles):
    piece = piece_of(code(*words))
    assert (piece.instructions, piece.half_cycles / 2) == (instructions, cycles), name


def test_a_load_after_something_else_takes_two_again():
    assert piece_of(code(0x6802, 0x1840, 0x6802)).half_cycles == 2 * (2 + 1 + 2)


def test_half_an_instruction_is_none():
    assert piece_of(code(0x1840, 0xFB90)).instructions == 1
