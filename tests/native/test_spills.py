"""``tools/spills.py`` sees an accumulator that a loop keeps on the stack."""

from __future__ import annotations

import runpy
from pathlib import Path

SPILLS = Path(__file__).resolve().parent.parent.parent / "tools" / "spills.py"

#: What clang writes: a loop in a loop, and in the inner one the instructions that are filled in.
ASSEMBLY = """
tile:
	vmovdqa64	%zmm9, 64(%rsp)         # 64-byte Spill
.LBB0_1:                                # =>This Loop Header: Depth=1
	vmovdqa64	%zmm9, 64(%rsp)         # 64-byte Spill
.LBB0_2:                                #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	{}
# %bb.3:                                #   in Loop: Header=BB0_2 Depth=2
	{}
	jne	.LBB0_2
# %bb.4:                                #   in Loop: Header=BB0_1 Depth=1
	vmovdqa64	%zmm9, 64(%rsp)         # 64-byte Spill
	jne	.LBB0_1
"""
ACCUMULATE = "vpdpbusd	%zmm1, %zmm2, %zmm3"
SPILL = "vmovdqa64	%zmm3, 128(%rsp)        # 64-byte Spill"


def spilling(*instructions: str) -> tuple[int, list[str]]:
    return runpy.run_path(str(SPILLS))["spilling"](ASSEMBLY.format(*instructions))


def test_a_spill_in_an_accumulating_loop_is_found() -> None:
    assert spilling(ACCUMULATE, SPILL) == (1, [f"tile: {SPILL}"])


def test_spills_outside_do_not_count() -> None:
    assert spilling(ACCUMULATE, "nop") == (1, [])


def test_other_loops_do_not_count() -> None:
    assert spilling("nop", SPILL) == (0, [])
