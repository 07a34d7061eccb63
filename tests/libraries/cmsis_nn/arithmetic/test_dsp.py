"""DSP instructions on lanes that can be checked by hand."""

from collections import Counter
from typing import Any

import numpy as np

from arenite.libraries.cmsis_nn.arithmetic import dsp


def word(*values: int, bits: int = 8) -> int:
    """Fields of a register, the lowest first."""
    mask = (1 << bits) - 1
    return sum((value & mask) << (bits * index) for index, value in enumerate(values))


def halves(low: int, high: int) -> int:
    return word(low, high, bits=16)


def unsigned(lanes: Any) -> Any:
    return (np.asarray(lanes).astype(np.int64) & 0xFFFFFFFF).tolist()


def count() -> Counter[str]:
    return Counter()


# -- halves ------------------------------------------------------------------------------


def test_pkhbt_puts_a_number_into_both_halves() -> None:
    assert unsigned(dsp.pkhbt(5, 5, 16, count())) == halves(5, 5)
    assert unsigned(dsp.pkhbt(-3, -3, 16, count())) == halves(-3, -3)


def test_pkhbt_takes_the_low_half_of_the_first_and_the_shifted_high_half_of_the_second() -> None:
    assert unsigned(dsp.pkhbt(0x11112222, 0x33334444, 0, count())) == 0x33332222
    assert unsigned(dsp.pkhbt(0x11112222, 0x33334444, 16, count())) == 0x44442222


def test_ror_turns_bytes_to_the_right() -> None:
    assert unsigned(dsp.ror(word(1, 2, 3, 4), 8, count())) == word(2, 3, 4, 1)
    assert unsigned(dsp.ror(0x80000001, 1, count())) == 0xC0000000
    assert unsigned(dsp.ror(0x80000001, 0, count())) == 0x80000001


def test_sxtb16_extends_bytes_0_and_2() -> None:
    assert unsigned(dsp.sxtb16(word(1, 2, -3, 4), count())) == halves(1, -3)
    assert unsigned(dsp.sxtb16(word(-128, 0, 127, 0), count())) == halves(-128, 127)


def test_sxtb16_extends_bytes_1_and_3_after_a_rotation() -> None:
    assert unsigned(dsp.sxtb16(word(1, -2, 3, 4), count(), rotate=8)) == halves(-2, 4)


def test_sxtab16_adds_bytes_0_and_2_to_the_halves() -> None:
    assert unsigned(dsp.sxtab16(halves(100, -100), word(1, 2, -3, 4), count())) == halves(101, -103)
    assert unsigned(dsp.sxtab16(halves(0, 0), word(1, 2, 3, 4), count(), rotate=8)) == halves(2, 4)


def test_sxtab16_wraps_in_each_half() -> None:
    assert unsigned(dsp.sxtab16(halves(32767, -32768), word(1, 0, -1), count())) == halves(
        -32768, 32767
    )


# -- products ----------------------------------------------------------------------------


def test_smlad_adds_both_products_of_halves() -> None:
    assert dsp.smlad(halves(2, -3), halves(10, 100), 7, count()) == 7 + 20 - 300


def test_smlad_wraps() -> None:
    lowest = halves(-32768, -32768)
    assert dsp.smlad(lowest, lowest, 0, count()) == -(2**31)
    assert dsp.smlad(halves(1, 0), halves(1, 0), 2**31 - 1, count()) == -(2**31)


def test_mla_multiplies_32_bits_and_wraps() -> None:
    assert dsp.mla(-5, 7, 1, count()) == -34
    assert dsp.mla(2**16, 2**16, 3, count()) == 3


def test_smlal_keeps_64_bits() -> None:
    assert dsp.smlal(1 << 30, 2**31 - 1, 2**31 - 1, count()) == (1 << 30) + (2**31 - 1) ** 2


# -- counting ----------------------------------------------------------------------------


def test_every_lane_of_the_result_counts() -> None:
    executed = count()
    dsp.smlad(np.zeros((3, 1), np.int32), np.zeros((1, 4), np.int32), 0, executed)
    dsp.ror(1, 8, executed)
    assert executed == {"SMLAD": 12, "ROR": 1}
