"""Linked programs."""

import pytest

from arenite.emulator.elf import read_elf


@pytest.mark.parametrize("data", [b"", b"MZ", b"\x7fELF\x02\x01" + bytes(58)])
def test_what_is_no_program_for_a_board_is_refused(data):
    with pytest.raises(ValueError, match="expected a little-endian 32-bit ELF file"):
        read_elf(data)
