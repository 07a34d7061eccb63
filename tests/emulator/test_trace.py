"""What QEMU's log of blocks says that ran."""

import struct

from arenite.emulator.elf import Image
from arenite.emulator.trace import Trace

START = 0x11000000
NOP = 0xBF00


def trace(*halfwords):
    code = struct.pack(f"<{len(halfwords)}H", *halfwords)
    return Trace(Image(((START, code),), {}, (), ()))


def log(*offsets):
    """Lines as QEMU 7 and later write them."""
    line = "Trace 0: 0x7f86180000 [00800442/{:016x}/00000050/ff020201] \n"
    return "".join(line.format(START + one) for one in offsets).encode()


def instructions(found, lines, at):
    found.add(lines, START + at)
    return found.count.instructions


def test_a_block_goes_to_its_branch():
    assert instructions(trace(NOP, NOP, 0xE001, NOP, NOP, NOP), log(0), at=10) == 3


def test_a_block_ends_where_the_program_stops():
    assert instructions(trace(NOP, NOP, NOP, NOP, 0x4770), log(0), at=4) == 2


def test_a_block_that_goes_through_a_loop_goes_to_its_beginning_again():
    # nop; begin: nop; bne begin; bx lr: three turns
    found = trace(NOP, NOP, 0xD1FD, 0x4770)
    assert instructions(found, log(0, 2, 2, 6), at=0x100) == 3 + 2 + 2 + 1


def test_a_block_ends_behind_what_changes_the_lanes_that_count():
    # dlstp.8 lr, r0; begin: nop; letp begin; bx lr: two turns
    found = trace(0xF000, 0xE001, NOP, 0xF01F, 0xC803, 0x4770)
    assert instructions(found, log(0, 4, 4, 10), at=0x100) == 1 + 2 + 2 + 1


def test_a_block_ends_with_its_page():
    found = trace(*[NOP] * 513, 0xD1FD, 0x4770)  # bne to the second page's beginning
    assert instructions(found, log(0, 1024, 1024, 1028), at=0x1000) == 512 + 2 + 2 + 1


def test_a_block_that_was_stopped_did_not_run():
    stopped = b"Stopped execution of TB chain before 0x7f86180000 [11000000] \n"
    assert instructions(trace(NOP, 0x4770), log(0) + stopped + log(0), at=0x100) == 2


def test_counts_go_on():
    found = trace(NOP, 0x4770)
    found.add(log(0), 0)
    found.add(log(0), 0)
    assert found.count.instructions == 4
