"""``tools/spills.py`` sees an accumulator that a loop keeps on the stack."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SPILLS = Path(__file__).resolve().parent.parent.parent / "tools" / "spills.py"

#: What clang writes: a loop in a loop, and in the inner one the instructions that are filled in.
ASSEMBLY = """
tile:
	{spill}
.LBB0_1:                                {comment} =>This Loop Header: Depth=1
	{spill}
.LBB0_2:                                {comment}   Parent Loop BB0_1 Depth=1
                                        {comment} =>  This Inner Loop Header: Depth=2
	{first}
{comment} %bb.3:                                {comment}   in Loop: Header=BB0_2 Depth=2
	{second}
	{jump}	.LBB0_2
{comment} %bb.4:                                {comment}   in Loop: Header=BB0_1 Depth=1
	{spill}
	{jump}	.LBB0_1
"""
X86 = {
    "comment": "#",
    "jump": "jne",
    "accumulate": "vpdpbusd	%zmm1, %zmm2, %zmm3",
    "spill": "vmovdqa64	%zmm3, 128(%rsp)        # 64-byte Spill",
}
ARM = {
    "comment": "//",
    "jump": "b.ne",
    "accumulate": "sdot	v1.4s, v2.16b, v3.4b[0]",
    "spill": "str	q3, [sp, #128]                  // 16-byte Folded Spill",
}
PROCESSORS = pytest.mark.parametrize("processor", [X86, ARM], ids=["x86-64", "aarch64"])


def spilling(processor: dict[str, str], first: str, second: str) -> tuple[int, list[str]]:
    assembly = ASSEMBLY.format(**processor, first=first, second=second)
    return runpy.run_path(str(SPILLS))["spilling"](assembly)


@PROCESSORS
def test_a_spill_in_an_accumulating_loop_is_found(processor: dict[str, str]) -> None:
    found = spilling(processor, processor["accumulate"], processor["spill"])
    assert found == (1, [f"tile: {processor['spill']}"])


@PROCESSORS
def test_spills_outside_do_not_count(processor: dict[str, str]) -> None:
    assert spilling(processor, processor["accumulate"], "nop") == (1, [])


@PROCESSORS
def test_other_loops_do_not_count(processor: dict[str, str]) -> None:
    assert spilling(processor, "nop", processor["spill"]) == (0, [])


@pytest.mark.parametrize(
    "spill",
    [
        "stp	q4, q5, [x29, #-64]",
        "str	q4, [x19, #96]                  // 16-byte Folded Spill",
        "mov	sp, x16",
    ],
)
def test_a_frame_of_aarch64_may_have_other_bases_than_the_stack_pointer(spill: str) -> None:
    assert spilling(ARM, ARM["accumulate"], spill) == (1, [f"tile: {spill}"])


def test_a_store_of_outputs_is_no_spill() -> None:
    assert spilling(ARM, ARM["accumulate"], "str	q4, [x19, #96]") == (1, [])
