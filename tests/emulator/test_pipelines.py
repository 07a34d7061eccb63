"""Cycles of straight code, by the rule of each core's pipeline."""

import pytest

from arenite.emulator.pipelines import pipeline_of
from arenite.emulator.thumb import piece_of


@pytest.mark.parametrize(
    ("processor", "code", "cycles"),
    [
        # ldrsb r3, [r0]; adds r3, #1: the sum waits for what is loaded.
        ("cortex-m4", "93f90030 0133", 3),
        ("cortex-m7", "90f90030 0133", 2),
        ("cortex-m33", "90f90030 0133", 3),
        # ldrb r3, [r0]; adds r3, #1; muls r3, r1
        ("cortex-m0plus", "0378 0133 4b43", 4),
    ],
)
def test_cycles_of_straight_code_follow_the_rule_of_the_core(processor, code, cycles):
    assert pipeline_of(processor).piece_of(bytes.fromhex(code)).half_cycles


def test_a_branch_that_always_leaves_is_part_of_its_piece():
    """adds r3, #1; b."""
    code = bytes.fromhex("0133fde7")
    assert pipeline_of("cortex-m4").piece_of(code) == piece_of(code)
    assert pipeline_of("cortex-m7").piece_of(code).half_cycles == 2 * (1 + 1)
