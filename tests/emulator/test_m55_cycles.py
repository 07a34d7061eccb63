"""Cycles of straight code on a Cortex-M55, by the rule."""

import pytest

from arenite.emulator.m55_cycles import block_cost
from arenite.emulator.t32 import narrow, wide

LDR, ADD_R2, ADD_R4 = narrow(0x6802), narrow(0x1852), narrow(0x1924)  # r2 from memory; with r2; r4
VLDR, VSTR = wide(0xECB7, 0x5E20), wide(0xED84, 0x4F00)  # q2 from r7; q2 to r4
PRODUCT = wide(0xEEF6, 0xAF24)  # of q3 and q2, to r10
OTHER = wide(0xEEF6, 0x8F26)  # of q3 and q3, to r8
LE = wide(0xF00F, 0xC803)


@pytest.mark.parametrize(
    ("name", "code", "cycles"),
    [
        ("one instruction begins in a cycle", [ADD_R4, ADD_R4, ADD_R4], 3),
        ("a loaded value is waited for", [LDR, ADD_R2], 3),
        ("what does not need it does not wait", [LDR, ADD_R4, ADD_R2], 3),
        ("a product overlaps with the load of its vector", [VLDR, PRODUCT], 2),
        ("memory is busy for two cycles", [VLDR, VLDR], 3),
        ("so is what multiplies", [PRODUCT, OTHER], 3),
        ("a sum is waited for", [PRODUCT, PRODUCT, PRODUCT], 5),
        ("loads and products in turn", [VLDR, OTHER, VLDR, OTHER], 4),
        ("a division takes five", [wide(0xFB91, 0xF0F2)], 5),
        ("registers are stored in pairs", [narrow(0xB5F0)], 2),
        ("a sum of floats' products takes four", [wide(0xEEA2, 0x0A04)] * 2, 5),
        ("the end of a loop is free", [VLDR, PRODUCT, LE], 2),
    ],
)
def test_what_a_block_costs(name, code, cycles):
    assert block_cost(code, leaves=False) == (len(code), cycles)


def test_a_branch_that_is_taken_costs_one_more_unless_it_ends_a_loop():
    branch = narrow(0xD1C3)
    assert block_cost([ADD_R4, branch], leaves=False).cycles == 2
    assert block_cost([ADD_R4, branch], leaves=True).cycles == 3
    assert block_cost([ADD_R4, LE], leaves=True).cycles == 1
