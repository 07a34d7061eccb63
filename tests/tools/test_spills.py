"""``tools/spills.py`` sees an accumulator that a loop keeps on the stack."""

import json
import runpy
import sys
from pathlib import Path

import pytest

SPILLS = Path(__file__).parents[2] / "tools" / "spills.py"

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


@pytest.mark.parametrize("sums", ["saddlp	v1.4s, v2.8h", "sadalp	v1.4s, v2.8h"])
def test_sums_of_pairs_accumulate(sums: str) -> None:
    assert spilling(ARM, sums, ARM["spill"]) == (1, [f"tile: {ARM['spill']}"])


#: Stands in for a compiler: its source is the assembly that it is asked for.
COMPILER = """
import pathlib, sys
assert sys.argv[1] == "-S"
pathlib.Path(sys.argv[4]).write_text(pathlib.Path(sys.argv[2]).read_text())
"""


def build(folder: Path, processor: dict[str, str], second: str) -> str:
    """A build of one file of kernels."""
    source = folder / "csrc" / "simd" / "some" / "kernel.c"
    source.parent.mkdir(parents=True)
    assembly = ASSEMBLY.format(**processor, first=processor["accumulate"], second=second)
    source.write_text(assembly, "utf-8")
    (folder / "compiler.py").write_text(COMPILER, "utf-8")
    command = [sys.executable, str(folder / "compiler.py"), "-c", str(source), "-o", "kernel.o"]
    entry = {"directory": str(folder), "command": " ".join(command), "file": str(source)}
    (folder / "compile_commands.json").write_text(json.dumps([entry]), "utf-8")
    return str(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="commands are quoted as a shell of Unix does")
def test_all_builds_are_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(SPILLS))["main"]
    good, bad = build(tmp_path / "x86", X86, "nop"), build(tmp_path / "arm", ARM, ARM["spill"])
    assert main([good]) == 0
    capsys.readouterr()
    assert main([bad, good]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"some/kernel.c: tile: {ARM['spill']}",
        f"spills: 1 accumulating loops in {bad}, see above",
        f"spills: 1 accumulating loops in {good}, none uses the stack",
    ]


def test_without_a_build_nothing_is_good() -> None:
    assert runpy.run_path(str(SPILLS))["main"]([]) == 1
